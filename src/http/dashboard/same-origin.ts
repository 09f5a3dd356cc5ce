/**
 * Which requests with the cookie are the page's own. The cookie is SameSite=Strict, which keeps other sites out and not other ports of the same
 * host; a header of ours, which needs a preflight from another origin, and the browser's own headers about the origin keep out both.
 */
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import { Failure } from '../../domain/failures.ts'

const refusal = () =>
  new Failure('not_allowed', { message: 'The dashboard answers requests of its own page only; this one comes from elsewhere.' })

/** `host`: of the request, as the browser knows it, or of the public base where a proxy has changed it. */
function isOwn(origin: string, hosts: readonly (string | null)[]): boolean {
  // A page without an origin (a sandboxed frame, a file) sends `null`.
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}

export interface OriginRules {
  /** Public base of the service; null: none is set. */
  baseUrl: string | null
  /** A stream of events, which a browser opens without headers of ours, and reads from the same origin only. */
  isStream?: boolean
}

/** Throws `not_allowed`. */
export function checkSameOrigin({ headers }: Request, { baseUrl, isStream = false }: OriginRules): void {
  const site = headers.get('Sec-Fetch-Site')
  if (site !== null && site !== 'same-origin') throw refusal()
  const origin = headers.get('Origin')
  if (origin !== null && !isOwn(origin, [headers.get('Host'), baseUrl === null ? null : new URL(baseUrl).host])) throw refusal()
  if (!isStream && headers.get(DASHBOARD_HEADER) !== '1')
    throw new Failure('not_allowed', { message: `The dashboard answers requests with ${DASHBOARD_HEADER}: 1 only.` })
}
