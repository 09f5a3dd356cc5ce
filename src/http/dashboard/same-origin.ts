/**
 * Which requests a browser sends for the page itself. The cookie is SameSite=Strict, which keeps other sites out and not other ports of the same
 * host; a header of ours, which needs a preflight from another origin, and the browser's own headers about the origin keep out the pages of both.
 *
 * They do not keep out a server on another port of the same host: browsers send it the cookie, too, and outside of a browser it can send any
 * header. That is why the header of a signed-in request has the proof of its session (`session.ts`), which no other origin ever sees. Here the
 * header only has to be there: to sign in there is nothing to prove yet.
 */
import { DASHBOARD_HEADER } from '../../domain/dashboard.ts'
import { Failure } from '../../domain/failures.ts'

const refusal = () =>
  new Failure('not_allowed', {
    message: 'The dashboard only answers requests from its own page; this request came from another origin.',
  })

/** `host`: of the request, as the browser knows it, or of the public base where a proxy has changed it. */
function isOwn(origin: string, hosts: readonly (string | null)[]): boolean {
  // A page without an origin (a sandboxed frame, a file) sends `null`.
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}

export interface OriginRules {
  /** Public base of the service; null: none is set. */
  baseUrl: string | null
}

/** Throws `not_allowed`. */
export function checkSameOrigin({ headers }: Request, { baseUrl }: OriginRules): void {
  const site = headers.get('Sec-Fetch-Site')
  if (site !== null && site !== 'same-origin') throw refusal()
  const origin = headers.get('Origin')
  if (origin !== null && !isOwn(origin, [headers.get('Host'), baseUrl === null ? null : new URL(baseUrl).host])) throw refusal()
  if (!headers.has(DASHBOARD_HEADER))
    throw new Failure('not_allowed', { message: `The dashboard only answers requests that have the header ${DASHBOARD_HEADER}.` })
}
