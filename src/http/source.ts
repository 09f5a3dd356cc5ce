/** The source of a request behind proxies that are trusted to name it. */
import type { Log } from '../domain/log.ts'
import { canonicalAddress, isIn, isNear, type Ranges } from '../egress/addresses.ts'

/** `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]:80`: as proxies write them. Undefined when it is no address. */
const addressOf = (entry: string): string | undefined =>
  canonicalAddress(
    entry
      .trim()
      .replace(/^"|"$/g, '')
      .replace(/^\[(.*)\](:\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
  )

/** Peers whose address was read: they send many requests each. */
const KNOWN = 1_000
const known = new Map<string, string>()

function addressOfPeer(peer: string): string {
  const found = known.get(peer)
  if (found !== undefined) return found
  const address = addressOf(peer) ?? peer
  if (known.size >= KNOWN) known.clear()
  known.set(peer, address)
  return address
}

/** In which proxies name whoever called them. */
const FORWARDED_FOR = 'X-Forwarded-For'

/** Headers that reverse proxies add to a request they pass on. */
const RELAYED = [
  FORWARDED_FOR,
  'CF-Connecting-IP',
  'Forwarded',
  'True-Client-IP',
  'Via',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'X-Forwarded',
  'X-Forwarded-Host',
  'X-Forwarded-Port',
  'X-Forwarded-Proto',
  'X-Forwarded-Server',
  'X-Real-IP',
]

/** A proxy has passed the request on: whoever sent it need not be where the connection comes from. */
export const isRelayed = (headers: Headers): boolean => RELAYED.some((name) => headers.has(name))

/** Source of a request whose proxy is trusted and does not say who called it. It is no address, so no list of addresses has it. */
export const UNKNOWN = 'unknown'

/**
 * The peer of the socket, or the right-most entry of `X-Forwarded-For` that no trusted proxy wrote about itself. Several header lines of the name
 * are one list, in their order (RFC 9110, 5.3). Where a trusted proxy names no address the caller is unknown, and not the proxy: lists of allowed
 * addresses often have the proxy's own.
 */
export function sourceOf(peer: string | undefined, headers: Headers, trusted: Ranges): string {
  let source = peer === undefined ? UNKNOWN : addressOfPeer(peer)
  if (trusted.length === 0 || !isIn(trusted, source)) return source
  const forwardedFor = headers.get(FORWARDED_FOR)
  if (forwardedFor === null) return isRelayed(headers) ? UNKNOWN : source
  const entries = forwardedFor.split(',').filter((entry) => entry.trim() !== '')
  if (entries.length === 0) return UNKNOWN
  while (isIn(trusted, source)) {
    const next = entries.pop()
    if (next === undefined) return source
    source = addressOf(next) ?? UNKNOWN
  }
  return source
}

/**
 * Says once that a near proxy names its callers and nobody told the service to believe it. All callers are then one address to the limits and
 * to the lists of allowed addresses. A far peer is not worth a line: anybody may send the header.
 */
export function createProxyHint(trusted: Ranges, log: Pick<Log, 'warn'>) {
  let isTold = false
  return (peer: string | undefined, headers: Headers) => {
    if (isTold || peer === undefined || !headers.has(FORWARDED_FOR)) return
    const address = addressOf(peer) ?? peer
    if (!isNear(address) || isIn(trusted, address)) return
    isTold = true
    log.warn(
      { peer: address },
      'a request has X-Forwarded-For, but SVC_TRUSTED_PROXIES does not list its proxy: all callers behind that proxy count as one address',
    )
  }
}
