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

/** The peer of the socket, or the right-most entry of `X-Forwarded-For` that no trusted proxy wrote about itself. */
export function sourceOf(peer: string | undefined, forwardedFor: string | null, trusted: Ranges): string {
  let source = peer === undefined ? 'unknown' : addressOfPeer(peer)
  if (trusted.length === 0) return source
  const entries = (forwardedFor ?? '').split(',').filter((entry) => entry.trim() !== '')
  while (isIn(trusted, source)) {
    const next = entries.pop()
    const address = next === undefined ? undefined : addressOf(next)
    if (address === undefined) return source
    source = address
  }
  return source
}

/**
 * Says once that a near proxy names its callers and nobody told the service to believe it. All callers are then one address to the limits and
 * to the lists of allowed addresses. A far peer is not worth a line: anybody may send the header.
 */
export function createProxyHint(trusted: Ranges, log: Pick<Log, 'warn'>) {
  let isTold = false
  return (peer: string | undefined, forwardedFor: string | null) => {
    if (isTold || forwardedFor === null || peer === undefined) return
    const address = addressOf(peer) ?? peer
    if (!isNear(address) || isIn(trusted, address)) return
    isTold = true
    log.warn(
      { peer: address },
      'a request has X-Forwarded-For, but SVC_TRUSTED_PROXIES does not have its proxy: all callers behind it count as one address',
    )
  }
}
