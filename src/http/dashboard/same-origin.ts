/**
 * Checks that a request for the dashboard comes from the dashboard's own page. The cookie excludes other sites
 * (SameSite=Strict), and a header of our own also excludes pages on other ports of the same host.
 *
 * A server on another port gets the cookie too and can send any header. So a signed-in request also contains the proof
 * of its session, a value that no other origin ever sees.
 */
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import { Failure } from '../../domain/failures.ts'

const refusal = () =>
  new Failure('not_allowed', {
    message: 'The dashboard only answers requests from its own page; this request came from another origin.',
  })

/**
 * True if the origin is one of the hosts. A proxy may have changed the host of the request, so `hosts` also contains
 * that of the public base URL.
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
