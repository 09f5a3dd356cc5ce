/**
 * Addresses and CIDR ranges, written, read and compared in one way for the whole project: destinations of the service (`targets.ts`), sources
 * of requests (`http/source.ts`, allowlists) and configured ranges. Web standards only, so that HTTP may load it.
 */
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Ranges = readonly (readonly [network: Address, bits: number])[]

/** IPv4-mapped IPv6 is IPv4: the kernel hands an IPv4 peer to an IPv6 socket in this form. */
const unmapped = (address: Address): Address =>
  address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() ? (address as ipaddr.IPv6).toIPv4Address() : address

/** Undefined for what is no address. IPv4 may be written in fewer parts, octal or hexadecimal, as a URL's host may. */
export const readAddress = (text: string): Address | undefined =>
  ipaddr.isValid(text) ? unmapped(ipaddr.parse(text)) : undefined

/** The one way this project writes an address: IPv4 in four decimal parts, IPv6 compressed, mapped IPv4 as IPv4. */
export const canonicalAddress = (text: string): string | undefined => readAddress(text)?.toString()

/** The address a URL's host is, in any notation; undefined for a name. (`new URL` has already read octal, hexadecimal and decimal.) */
export const literalAddress = (hostname: string): string | undefined =>
  canonicalAddress(hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''))

/**
 * `10.0.0.1` as `10.0.0.1/32`; undefined when it is no address or the prefix does not fit. IPv4 takes four parts: `10.1` would be read as
 * 10.0.0.1. An IPv4-mapped range is the IPv4 range, as the addresses that are held against it are.
 */
export function canonicalCidr(entry: string): string | undefined {
  const [text = '', prefix] = entry.trim().split('/')
  if (!(text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text))) return undefined
  const written = ipaddr.parse(text)
  const cidr = prefix === undefined ? `${text}/${written.kind() === 'ipv4' ? 32 : 128}` : entry.trim()
  if (!ipaddr.isValidCIDR(cidr)) return undefined
  const address = unmapped(written)
  if (address === written) return cidr
  // Wider than the 96 bits that mark it as mapped: a range of both families at once.
  const bits = Number(cidr.split('/')[1]) - 96
  return bits < 0 ? undefined : `${address}/${bits}`
}

/**
 * Why an entry of a list that somebody edits is refused, for `… {problem}`; undefined for an address or a range whose host bits are zero. With
 * host bits it is either the range of all of them or the one address, and only the writer knows which.
 */
export function problemOfRange(entry: string): string | undefined {
  const cidr = canonicalCidr(entry)
  if (cidr === undefined || entry !== entry.trim())
    return 'must be an IPv4 or IPv6 address or a CIDR block (like 10.0.0.0/8 or fd00::/8)'
  const [address, bits] = ipaddr.parseCIDR(cidr)
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  const network = family.networkAddressFromCIDR(cidr).toString()
  return address.toString() === network
    ? undefined
    : `must not have host bits: ${network}/${bits} is the range, ${address} the address`
}

/** Addresses and CIDR ranges. Throws an Error that names the entry which is neither. */
export function parseRanges(list: readonly string[]): Ranges {
  return list.map((entry) => {
    const cidr = canonicalCidr(entry)
    if (cidr === undefined) throw new Error(`"${entry}" is not an address or a CIDR block (like 10.0.0.0/8 or fd00::/8).`)
    return ipaddr.parseCIDR(cidr)
  })
}

export const isWithin = (ranges: Ranges, address: Address): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))

/** False for what is no address. */
export function isIn(ranges: Ranges, text: string): boolean {
  if (ranges.length === 0) return false
  const address = readAddress(text)
  return address !== undefined && isWithin(ranges, address)
}

/** This machine alone. */
export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128']
/** This machine and private networks (RFC 1918, RFC 4193). */
const NEAR = parseRanges([...LOOPBACK, '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'])
export const isNear = (text: string): boolean => isIn(NEAR, text)

/**
 * The network one subscriber is given: an IPv4 address, or of IPv6 the /64, since 2^64 addresses to guess from are one caller. Text that is no
 * address stays as it is.
 */
export function subscriberOf(text: string): string {
  const address = readAddress(text)
  if (address === undefined) return text
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`)}/64`
}

/**
 * The IPv4 address that an IPv6 one stands for: a translator, a tunnel or the kernel would connect to that one. For destinations only: as the
 * source of a request such an address proves nothing about the IPv4 one inside.
 */
export function reachedAddress(address: Address): Address {
  if (address.kind() === 'ipv4') return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6145') return new ipaddr.IPv4(bytes.slice(12))
  // NAT64, the well-known prefix 64:ff9b::/96 only: in the local one (64:ff9b:1::/48) the place of the address is not fixed.
  if (range === 'rfc6052' && bytes.slice(4, 12).every((byte) => byte === 0)) return new ipaddr.IPv4(bytes.slice(12))
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

/** Public by number, internal by meaning: the Azure host service (DHCP, DNS, metadata of the machine). */
const INTERNAL = new Set(['168.63.129.16'])

export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || INTERNAL.has(address.toString())) return false
  // Global IPv6 is 2000::/3; the rest of the space is not given out.
  return address.kind() === 'ipv4' || (address.toByteArray()[0]! & 0xe0) === 0x20
}
