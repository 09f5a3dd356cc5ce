/**
 * Bounds of a request's head. The service decides by headers who calls: by the one in which a proxy names its caller, by `Host`, by credentials.
 * So a head is read whole or refused: Node by itself drops what is beyond its limit and says nothing, and a caller who sends many headers would
 * have the one of the proxy dropped.
 */
import { type IncomingMessage, type ServerOptions, STATUS_CODES } from 'node:http'
import { Failure } from './domain/failures.ts'
import { failureBody, Unread } from './http/errors.ts'

/** Bytes of the names and values of all headers. */
const MAX_HEAD = 16_384
/** A request through a chain of proxies and a content network has some sixty. */
export const MAX_HEADERS = 200

/** Set here, because flags of Node would change them: a parser that is not strict takes folded headers. */
export const HEAD_LIMITS: ServerOptions = {
  maxHeaderSize: MAX_HEAD,
  insecureHTTPParser: false,
  // Answered by `headProblem`, with a body.
  requireHostHeader: false,
}

/** For `Server.maxHeadersCount`: with one more than is allowed, a head that is too long shows. */
export const HEADERS_KEPT = MAX_HEADERS + 1

function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** Why a head is refused. HTTP/1.0 has no `Host`, and balancers use it to check whether the service is ready (RFC 9112, 3.2). */
export function headProblem({ rawHeaders, httpVersion }: IncomingMessage): Failure | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return new Unread(431, `must have at most ${MAX_HEADERS} headers`)
  const hosts = hostsOf(rawHeaders)
  if (hosts > 1) return Failure.invalid({ path: 'Host', message: 'must be sent once' })
  if (hosts === 0 && httpVersion !== '1.0') return Failure.invalid({ path: 'Host', message: 'is required' })
  return undefined
}

/** What the parser refuses by itself, by the code of its error. */
const UNREADABLE: Record<string, Failure> = {
  HPE_HEADER_OVERFLOW: new Unread(431, `must have at most ${MAX_HEAD / 1_024} KB of headers`),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Unread(413, 'must have shorter chunk extensions'),
  ERR_HTTP_REQUEST_TIMEOUT: new Unread(408, 'must arrive faster'),
}
const NO_HTTP = Failure.invalid({ path: '', message: 'must be an HTTP request without folded or malformed headers' })

/** The answer on a connection on which no request could be read, as it is written. */
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
