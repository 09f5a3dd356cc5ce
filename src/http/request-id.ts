const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/

export function requestIdOf(headers: Headers, make: () => string): string {
  const given = headers.get('X-Request-Id')
  return given !== null && ACCEPTED.test(given) ? given : make()
}
