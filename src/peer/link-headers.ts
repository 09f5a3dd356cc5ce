/**
 * The headers of a request that one service passes on to another, and of its answer. The headers of the link count only
 * at the port of the link, and a caller cannot send them there: they are removed from everything that is passed on.
 */

/** Address from which the caller connected. */
export const LINK_ADDRESS = 'svc-link-address'
/** In a request: the id of the run of the service that is meant. */
export const LINK_ACTIVE = 'svc-link-active'
/** In a request: it is a command for the engine of the service, and no request of a caller. */
export const LINK_ENGINE = 'svc-link-engine'
/** In a request: it asks whether the service reaches the store, and is no request of a caller. */
export const LINK_REACH = 'svc-link-reach'
/** In a request: it asks the service to give its instances to the others and to end, and is no request of a caller. */
export const LINK_LEAVE = 'svc-link-leave'
/** In a request: it asks the service to look for instances that were given to it, and is no request of a caller. */
export const LINK_LOOK = 'svc-link-look'
/** In an answer: the service is not the active one that is meant. */
export const LINK_ELSEWHERE = 'svc-link-elsewhere'
/** Value of that header if the service stops, so that nothing more should be passed on to it. */
export const LEAVING = 'leaving'
/** Number of headers that a request may have in addition to those of the caller: of the link, its connection, and the framing. */
export const MORE_HEADERS = 8

const LINK = /^svc-link-/
/**
 * Headers of one connection (RFC 9110, 7.6.1). Names that a caller lists in `Connection` are kept: it could otherwise
 * remove a header with which a proxy names the caller.
 */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** The link uses HTTP/1.1, which requires a host, and a caller with HTTP/1.0 may have named none. */
const NO_HOST = 'localhost'
const REQUEST_ID = 'x-request-id'

type Pair = [name: string, value: string]

function pairsOf(rawHeaders: readonly string[]): Pair[] {
  const pairs: Pair[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) pairs.push([rawHeaders[at]!, rawHeaders[at + 1]!])
  return pairs
}

const isOfLink = (name: string) => LINK.test(name.toLowerCase())
const isPassed = (name: string) => !OF_CONNECTION.has(name.toLowerCase()) && !isOfLink(name)

/** `requestId` replaces the id that the caller may have given. */
export function requestHeaders(
  rawHeaders: readonly string[],
  { address, requestId }: { address: string | undefined; requestId: string },
): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null)
  for (const [name, value] of pairsOf(rawHeaders)) {
    const key = name.toLowerCase()
    if (isPassed(key) && key !== REQUEST_ID) headers[key] = [...(headers[key] ?? []), value]
  }
  headers.host ??= [NO_HOST]
  headers[REQUEST_ID] = [requestId]
  if (address !== undefined) headers[LINK_ADDRESS] = [address]
  return headers
}

/**
 * Adds the length of the body, which is `size` if the whole body is known, and otherwise what the caller has announced.
 * Without these headers Node would send the body of a GET, HEAD, OPTIONS or DELETE with no mark of its end, and the other
 * service would read it as further requests.
 */
export function framed(headers: Record<string, string[]>, size: number | undefined): Record<string, string[]> {
  const isAnnounced = headers['content-length'] !== undefined
  if (size === undefined) return isAnnounced ? headers : { ...headers, 'transfer-encoding': ['chunked'] }
  return isAnnounced || size > 0 ? { ...headers, 'content-length': [String(size)] } : headers
}

/** As a flat list of names and values. */
export const answerHeaders = (rawHeaders: readonly string[]): string[] =>
  pairsOf(rawHeaders)
    .filter(([name]) => isPassed(name))
    .flat()

/** The headers that the caller sent, as a flat list. */
export const withoutLink = (rawHeaders: readonly string[]): string[] =>
  pairsOf(rawHeaders)
    .filter(([name]) => !isOfLink(name))
    .flat()
