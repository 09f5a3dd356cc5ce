/** Where a request comes from, and whether an address lies in a list of CIDR ranges. */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Ranges = readonly (readonly [network: Address, bits: number])[]

/** IPv4-mapped IPv6 counts as IPv4, in lists as in peers. */
function unmapped(address: Address): Address {
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()
    ? (address as ipaddr.IPv6).toIPv4Address()
    : address
}

export function parseRanges(list: readonly string[]): Ranges {
  return list.map((entry) => {
    const [text, prefix] = entry.split('/') as [string, string | undefined]
    const written = ipaddr.parse(text)
    const network = unmapped(written)
    const width = network.kind() === 'ipv4' ? 32 : 128
    if (prefix === undefined) return [network, width] as const
    // A mapped range counts its prefix from the 128 bits it was written with.
    return [network, written.kind() === network.kind() ? Number(prefix) : Math.max(0, Number(prefix) - 96)] as const
  })
}

export function isIn(ranges: Ranges, text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = unmapped(ipaddr.parse(text))
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))
}

/** This machine and private networks (RFC 1918, RFC 4193). */
const NEAR = parseRanges(['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'])
export const isNear = (source: string): boolean => isIn(NEAR, source)

/** `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]:80`: as proxies write them. Undefined when it is no address. */
function addressOf(entry: string): string | undefined {
  const bare = entry
    .trim()
    .replace(/^"|"$/g, '')
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return ipaddr.isValid(bare) ? unmapped(ipaddr.parse(bare)).toString() : undefined
}

/**
 * Whom failed credentials are counted for. An IPv6 subscriber is given a /64 at least, 2^64 addresses to guess from: they count as one.
 */
export function networkOf(source: string): string {
  if (!source.includes(':') || !ipaddr.isValid(source)) return source
  const address = unmapped(ipaddr.parse(source))
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`)}/64`
}

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
