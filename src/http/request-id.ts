/** Accepted ids. `X-Request-Id` is on every response, even if the application never saw the request. */
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/

/** Uses the id of the caller if it is well-formed. */
export function requestIdOf(headers: Headers, make: () => string): string {
  const given = headers.get('X-Request-Id')
  return given !== null && ACCEPTED.test(given) ? given : make()
}
