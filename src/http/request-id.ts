/** `X-Request-Id`: on every response, also on one that the application never saw. */
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/

/** The caller's own when it is well formed. */
export function requestIdOf(headers: Headers, make: () => string): string {
  const given = headers.get('X-Request-Id')
  return given !== null && ACCEPTED.test(given) ? given : make()
}
