/**
 * Limits of the head of a request. Node silently drops headers above its limit, so a caller could make Node drop the
 * header of a proxy. So a head is either read completely or refused.
 */
import { type IncomingMessage, type ServerOptions, STATUS_CODES } from 'node:http'
import { Failure } from './domain/failures.ts'
import { failureBody, Unread } from './http/errors.ts'

/** Maximum number of bytes of the URL and of the names and values of all headers. */
const MAX_HEAD = 16_384
/** Maximum number of headers. A request through a chain of proxies and a CDN has about sixty. */
export const MAX_HEADERS = 200

/** Options of the HTTP server for heads. They are set here, because Node flags could otherwise change them. */
export const HEAD_LIMITS: ServerOptions = {
  maxHeaderSize: MAX_HEAD,
  insecureHTTPParser: false,
  // `headProblem` refuses a request without `Host`, and its answer has a body.
  requireHostHeader: false,
}

/** Number of headers that Node keeps: one more than allowed, so that a head with too many headers is detected. */
export const HEADERS_KEPT = MAX_HEADERS + 1

function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/**
 * Returns why a head is refused; undefined if it is accepted. HTTP/1.0 needs no `Host`, and load balancers may use it.
 */
export function headProblem({ rawHeaders, httpVersion }: IncomingMessage): Failure | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return new Unread(431, `must have at most ${MAX_HEADERS} headers`)
  const hosts = hostsOf(rawHeaders)
  if (hosts > 1) return Failure.invalid({ path: 'Host', message: 'must not be sent more than once' })
  if (hosts === 0 && httpVersion !== '1.0') return Failure.invalid({ path: 'Host', message: 'is required' })
  return undefined
}

/** Failures for requests that cannot be parsed, by the error code of Node's parser. */
const UNREADABLE: Record<string, Failure> = {
  HPE_HEADER_OVERFLOW: new Unread(431, `must have at most ${MAX_HEAD / 1_024} KB of headers`),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Unread(413, 'must have shorter chunk extensions'),
  ERR_HTTP_REQUEST_TIMEOUT: new Unread(408, 'must arrive faster'),
}
const NO_HTTP = Failure.invalid({ path: '', message: 'must be an HTTP request without folded or malformed headers' })

export function answerUnreadable({ code = '' }: NodeJS.ErrnoException, requestId: string): string {
  const failure = UNREADABLE[code] ?? NO_HTTP
  const body = JSON.stringify(failureBody(failure))
  return [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
