/**
 * Checks that a request for the dashboard comes from the dashboard's own page. The cookie excludes other sites
 * (SameSite=Strict), and a header of our own also excludes pages on other ports of the same host.
 *
 * A server on another port of the host gets the cookie too and can send any header. So each request of a session also
 * contains the session's proof, a value that no other origin ever sees.
 */
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import { Failure } from '../../domain/failures.ts'

const refusal = () =>
  new Failure('not_allowed', {
    message: 'The dashboard only answers requests from its own page; this request came from another origin.',
  })

/**
 * True if the origin is on one of the hosts. `hosts` also has the host of the public base URL, because a proxy may have
 * changed the host of the request.
 */
function isOwn(origin: string, hosts: readonly (string | null)[]): boolean {
  // A page without an origin (a sandboxed frame, a file) sends `null`.
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}

export interface OriginRules {
  /** Public base URL of the service; null if none is set. */
  baseUrl: string | null
}

/** Throws `not_allowed` if the request may come from another page. */
export function checkSameOrigin({ headers }: Request, { baseUrl }: OriginRules): void {
  const site = headers.get('Sec-Fetch-Site')
  if (site !== null && site !== 'same-origin') throw refusal()
  const origin = headers.get('Origin')
  if (origin !== null && !isOwn(origin, [headers.get('Host'), baseUrl === null ? null : new URL(baseUrl).host])) throw refusal()
  if (!headers.has(DASHBOARD_HEADER))
    throw new Failure('not_allowed', { message: `The dashboard only answers requests that have the header ${DASHBOARD_HEADER}.` })
}
