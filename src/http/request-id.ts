/** Form of accepted request ids. `X-Request-Id` is on every response, even on one that the HTTP server sent without calling the application. */
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/

/** Returns the id that the caller sent if it is well-formed, and otherwise a new id. */
export function requestIdOf(headers: Headers, make: () => string): string {
  const given = headers.get('X-Request-Id')
  return given !== null && ACCEPTED.test(given) ? given : make()
}
