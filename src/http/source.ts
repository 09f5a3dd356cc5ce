/** The source of a request behind proxies that are trusted to name it. */
import { canonicalAddress, isIn, type Ranges } from '../egress/addresses.ts'

/** `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]:80`: as proxies write them. Undefined when it is no address. */
const addressOf = (entry: string): string | undefined =>
  canonicalAddress(
    entry
      .trim()
      .replace(/^"|"$/g, '')
      .replace(/^\[(.*)\](:\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
  )

/** The peer of the socket, or the right-most entry of `X-Forwarded-For` that no trusted proxy wrote about itself. */
export function sourceOf(peer: string | undefined, forwardedFor: string | null, trusted: Ranges): string {
  let source = peer === undefined ? 'unknown' : (addressOf(peer) ?? peer)
  const entries = (forwardedFor ?? '').split(',').filter((entry) => entry.trim() !== '')
  while (isIn(trusted, source)) {
    const next = entries.pop()
    const address = next === undefined ? undefined : addressOf(next)
    if (address === undefined) return source
    source = address
  }
  return source
}
