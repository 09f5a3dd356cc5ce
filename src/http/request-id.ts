const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/

/** `given` is the value of `X-Request-Id`, if the request has one. */
export const requestIdOf = (given: string | string[] | null | undefined, make: () => string): string =>
  typeof given === 'string' && ACCEPTED.test(given) ? given : make()
