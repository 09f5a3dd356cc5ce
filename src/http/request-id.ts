const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/

/** Returns the id of a request: the value of `X-Request-Id` if it is valid, and a new id if not. */
export const requestIdOf = (given: string | string[] | null | undefined, make: () => string): string =>
  typeof given === 'string' && ACCEPTED.test(given) ? given : make()
