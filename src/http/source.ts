import type { Log } from '../domain/log.ts'
import { canonicalAddress, isIn, isNear, type Ranges } from '../egress/addresses.ts'

/** Parses an address in the forms that proxies write: `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]:80`. */
const addressOf = (entry: string): string | undefined =>
  canonicalAddress(
    entry
      .trim()
      .replace(/^"|"$/g, '')
      .replace(/^\[(.*)\](:\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
  )

/** Maximum number of cached peer addresses. */
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

const FORWARDED_FOR = 'X-Forwarded-For'

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

/** True if a proxy relayed the request. The address of its connection is then that of the proxy. */
export const isRelayed = (headers: Headers): boolean => RELAYED.some((name) => headers.has(name))

/** Stands for the address of the caller if it is not known. The text is not an address, so no allowlist contains it. */
export const UNKNOWN = 'unknown'

/**
 * Returns the address of the caller: the right-most entry of `X-Forwarded-For` that is not a trusted proxy, or the peer
 * of the socket. If a trusted proxy relays a request and names no caller, the address of the proxy is not used, because
 * allowlists often contain it.
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
 * Returns a function that logs once that a local proxy names its callers but is not trusted. A public address is not
 * logged, because anybody may send the header.
 */
export function untrustedProxyWarning(trusted: Ranges, log: Pick<Log, 'warn'>) {
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
