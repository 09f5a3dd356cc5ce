/**
 * Parses, writes and compares IP addresses and CIDR ranges. It uses no module of Node, so that the code for HTTP may
 * load it.
 */
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Ranges = readonly (readonly [network: Address, bits: number])[]

/** Converts an IPv4-mapped IPv6 address to IPv4. The kernel reports an IPv4 peer of an IPv6 socket in this form. */
const unmapped = (address: Address): Address =>
  address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() ? (address as ipaddr.IPv6).toIPv4Address() : address

const parsed = (text: string): Address | undefined => (ipaddr.isValid(text) ? unmapped(ipaddr.parse(text)) : undefined)

/**
 * Maximum number of cached addresses. They are cached, because the address of a caller and the address of this service
 * are read for every request.
 */
const KNOWN = 1_000
/**
 * Length of the longest form of an address without a zone. Longer texts are not cached, because anybody can send them.
 */
const LONGEST = 45
const known = new Map<string, Address | undefined>()

/**
 * Parses an address; undefined if the text is none. IPv4 may have fewer than four parts, and parts in octal or
 * hexadecimal, as in the host of a URL.
 */
export function readAddress(text: string): Address | undefined {
  const found = known.get(text)
  if (found !== undefined || known.has(text)) return found
  const address = parsed(text)
  if (text.length > LONGEST) return address
  if (known.size >= KNOWN) known.clear()
  known.set(text, address)
  return address
}

/** Returns an address in its usual form: IPv4 in four decimal parts, IPv6 compressed, IPv4-mapped IPv6 as IPv4. */
export const canonicalAddress = (text: string): string | undefined => readAddress(text)?.toString()

/**
 * Returns the address in the host of a URL; undefined for a name. `new URL` has already converted octal, hexadecimal
 * and decimal forms.
 */
export const literalAddress = (hostname: string): string | undefined =>
  canonicalAddress(hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''))

/**
 * Returns a range in its usual form: `10.0.0.1` becomes `10.0.0.1/32`. Undefined for an invalid range. IPv4 needs four
 * parts, because `10.1` would be read as 10.0.0.1. An IPv4-mapped range becomes the IPv4 range.
 */
export function canonicalCidr(entry: string): string | undefined {
  const [text = '', prefix] = entry.trim().split('/')
  if (!(text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text))) return undefined
  const written = ipaddr.parse(text)
  const cidr = prefix === undefined ? `${text}/${written.kind() === 'ipv4' ? 32 : 128}` : entry.trim()
  if (!ipaddr.isValidCIDR(cidr)) return undefined
  const address = unmapped(written)
  if (address === written) return cidr
  // An IPv4-mapped range starts with 96 fixed bits. A range with a shorter prefix would contain addresses of both
  // families.
  const bits = Number(cidr.split('/')[1]) - 96
  return bits < 0 ? undefined : `${address}/${bits}`
}

/**
 * Returns why an entry is refused, as the end of a sentence; undefined if it is valid. An entry with host bits
 * (`10.0.0.1/8`) is refused, because its author may have meant the range or the one address.
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

/** Parses a list of ranges. Throws an Error that names an invalid entry. */
export function parseRanges(list: readonly string[]): Ranges {
  return list.map((entry) => {
    const cidr = canonicalCidr(entry)
    if (cidr === undefined) throw new Error(`"${entry}" is not an address or a CIDR block (like 10.0.0.0/8 or fd00::/8).`)
    return ipaddr.parseCIDR(cidr)
  })
}

export const isWithin = (ranges: Ranges, address: Address): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))

export function isIn(ranges: Ranges, text: string): boolean {
  if (ranges.length === 0) return false
  const address = readAddress(text)
  return address !== undefined && isWithin(ranges, address)
}

export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128']
/** This machine and private networks (RFC 1918, RFC 4193). */
const NEAR = parseRanges([...LOOPBACK, '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'])
export const isNear = (text: string): boolean => isIn(NEAR, text)

/**
 * Returns the address or network that identifies a caller. For IPv6 this is the /64, because one caller can use all of
 * its 2^64 addresses. Text that is not an address stays unchanged.
 */
export function subscriberOf(text: string): string {
  const address = readAddress(text)
  if (address === undefined) return text
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`)}/64`
}

/**
 * Returns the IPv4 address to which a translator, a tunnel or the kernel would connect for an IPv6 address. The
 * function is only for destinations: as the source of a request, an IPv6 address proves nothing about the IPv4 address
 * inside.
 */
export function reachedAddress(address: Address): Address {
  if (address.kind() === 'ipv4') return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6145') return new ipaddr.IPv4(bytes.slice(12))
  // NAT64 with the well-known prefix 64:ff9b::/96. The local prefix is left out, because the position of the IPv4
  // address in it is not fixed.
  if (range === 'rfc6052' && bytes.slice(4, 12).every((byte) => byte === 0)) return new ipaddr.IPv4(bytes.slice(12))
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

/** Public addresses that are internal in practice: the host service of Azure (DHCP, DNS, machine metadata). */
const INTERNAL = new Set(['168.63.129.16'])

export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || INTERNAL.has(address.toString())) return false
  // Global IPv6 is 2000::/3; the rest is not assigned.
  return address.kind() === 'ipv4' || (address.toByteArray()[0]! & 0xe0) === 0x20
}
