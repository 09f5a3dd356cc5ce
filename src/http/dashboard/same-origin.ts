/**
 * Checks that a browser sends a request for the dashboard's own page. The cookie is SameSite=Strict, which excludes other sites, but not other ports
 * of the same host. Our own header, which needs a preflight from another origin, and the browser's headers about the origin exclude both: the pages
 * of other sites and of other ports.
 *
 * These headers do not exclude a server on another port of the same host: browsers send the cookie to it too, and
 * outside of a browser it can send any header. Therefore the header of a signed-in request contains the proof of its
 * session (`session.ts`), which no other origin ever sees. Here the header only has to be present, because before the
 * sign-in there is no proof.
 */
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import { Failure } from '../../domain/failures.ts'

const refusal = () =>
  new Failure('not_allowed', {
    message: 'The dashboard only answers requests from its own page; this request came from another origin.',
  })

/**
 * Whether an origin is our own. `hosts` contains the host of the request and the host of the public base URL, because a proxy may have changed the
 * host of the request.
 */
function isOwn(origin: string, hosts: readonly (string | null)[]): boolean {
  // A page without an origin (a sandboxed frame, a file) sends `null`.
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}

export interface OriginRules {
  /** Public base URL of the service; null if none is set. */
  baseUrl: string | null
}

/** Checks the origin of a request. Throws `not_allowed`. */
export function checkSameOrigin({ headers }: Request, { baseUrl }: OriginRules): void {
  const site = headers.get('Sec-Fetch-Site')
  if (site !== null && site !== 'same-origin') throw refusal()
  const origin = headers.get('Origin')
  if (origin !== null && !isOwn(origin, [headers.get('Host'), baseUrl === null ? null : new URL(baseUrl).host])) throw refusal()
  if (!headers.has(DASHBOARD_HEADER))
    throw new Failure('not_allowed', { message: `The dashboard only answers requests that have the header ${DASHBOARD_HEADER}.` })
}
