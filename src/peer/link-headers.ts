/**
 * The headers of a request that one service passes on to another, and of its answer. The headers of the link
 * (`svc-link-…`) are removed from the requests of callers before these are passed on.
 */

/** Address from which the caller connected. */
export const LINK_ADDRESS = 'svc-link-address'
/** Header of a request: the id of the service process to which the request is addressed. */
export const LINK_ACTIVE = 'svc-link-active'
/** Header of a request that is a command for the engine of the service, and not the request of a caller. */
export const LINK_ENGINE = 'svc-link-engine'
/** Header of a request that asks whether the service reaches the store. */
export const LINK_REACH = 'svc-link-reach'
/** Header of a request that asks the service to give its instances to the others and to end. */
export const LINK_LEAVE = 'svc-link-leave'
/** Header of a request that asks the service to look for instances that were given to it. */
export const LINK_LOOK = 'svc-link-look'
/**
 * Header of an answer: the service does not carry out the request, for example because it is not the addressed service
 * or is stopping.
 */
export const LINK_ELSEWHERE = 'svc-link-elsewhere'
/** Value of `LINK_ELSEWHERE` if the service stops, so that nothing more should be passed on to it. */
export const LEAVING = 'leaving'
/**
 * Maximum number of headers in addition to those of the caller: headers of the link, of its connection, and of the
 * framing.
 */
export const MORE_HEADERS = 8

const LINK = /^svc-link-/
/**
 * Headers that are not passed on, because they belong to one connection (RFC 9110, 7.6.1). Other headers that a caller
 * lists in `Connection` are passed on, because the caller could otherwise remove the header with which a proxy names
 * it.
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
/** Host of a request without a host, which HTTP/1.0 allows. The link uses HTTP/1.1, which requires a host. */
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

/** Returns the headers of a request to another service. `requestId` replaces the id that the caller may have given. */
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
 * Adds the header that frames the body; `size` is undefined if the whole body is not known. Without this header, Node
 * would send the body of a GET, HEAD, OPTIONS or DELETE with no mark of its end, and the other service would read the
 * body as further requests.
 */
export function framed(headers: Record<string, string[]>, size: number | undefined): Record<string, string[]> {
  const isAnnounced = headers['content-length'] !== undefined
  if (size === undefined) return isAnnounced ? headers : { ...headers, 'transfer-encoding': ['chunked'] }
  return isAnnounced || size > 0 ? { ...headers, 'content-length': [String(size)] } : headers
}

/** Returns the headers of an answer that the caller gets, as a flat list of names and values. */
export const answerHeaders = (rawHeaders: readonly string[]): string[] =>
  pairsOf(rawHeaders)
    .filter(([name]) => isPassed(name))
    .flat()

/** Returns the headers that the caller sent, without those of the link, as a flat list. */
export const withoutLink = (rawHeaders: readonly string[]): string[] =>
  pairsOf(rawHeaders)
    .filter(([name]) => !isOfLink(name))
    .flat()
