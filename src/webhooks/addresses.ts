/** Which addresses the service may reach, and which URLs may be configured. Pure, without a socket: the main thread uses it too. */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parsed `SVC_EGRESS_ALLOW`. */
export type Allow = readonly (readonly [network: Address, bits: number])[]

export const MAX_URL_LENGTH = 2_048

/** Public by number, internal by meaning: the Azure host service (DHCP, DNS, metadata of the machine). */
const INTERNAL = new Set(['168.63.129.16'])

export function parseAllow(list: readonly string[]): Allow {
  return list.map((entry) => {
    try {
      if (entry.includes('/')) return ipaddr.parseCIDR(entry.trim())
      const address = ipaddr.parse(entry.trim())
      return [address, address.kind() === 'ipv4' ? 32 : 128] as const
    } catch (cause) {
      throw new Error(`"${entry}" is not an address or a CIDR block (like 10.0.0.0/8 or fd00::/8).`, { cause })
    }
  })
}

/** `public`: on the internet. `allowed`: inside the operator's list. `refused`: everything else. */
export type Verdict = 'public' | 'allowed' | 'refused'

export function judge(text: string, allow: Allow): Verdict {
  if (!ipaddr.isValid(text)) return 'refused'
  const address = unwrap(ipaddr.parse(text))
  if (allow.some(([network, bits]) => network.kind() === address.kind() && matches(address, network, bits))) return 'allowed'
  return isPublic(address) ? 'public' : 'refused'
}

const matches = (address: Address, network: Address, bits: number) =>
  ipaddr.subnetMatch(address, { found: [[network, bits]] }, 'none') === 'found'

/** The IPv4 address that an IPv6 one stands for: a translator, a tunnel or the kernel would connect to that one. */
function unwrap(address: Address): Address {
  if (address.kind() === 'ipv4') return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6145') return new ipaddr.IPv4(bytes.slice(12))
  // NAT64, the well-known prefix 64:ff9b::/96 only: in the local one (64:ff9b:1::/48) the place of the address is not fixed.
  if (range === 'rfc6052' && bytes.slice(4, 12).every((byte) => byte === 0)) return new ipaddr.IPv4(bytes.slice(12))
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || INTERNAL.has(address.toString())) return false
  // Global IPv6 is 2000::/3; the rest of the space is not given out.
  return address.kind() === 'ipv4' || (address.toByteArray()[0]! & 0xe0) === 0x20
}

/** The address a URL's host is, in any notation; undefined for a name. (`new URL` has already read octal, hexadecimal and decimal.) */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return ipaddr.isValid(bare) ? ipaddr.parse(bare).toString() : undefined
}

const PRIVATE = 'must not point to a private, loopback or reserved address'

/** What is wrong with the address of a proxy, as a sentence. A name is judged when the connection is made. */
export function checkProxy(text: string, allow: Allow): string | undefined {
  const literal = literalAddress(new URL(text).hostname)
  return literal !== undefined && judge(literal, allow) === 'refused' ? PRIVATE : undefined
}

/**
 * What is wrong with a webhook URL, as a sentence; undefined when nothing is. Names are judged when an event is delivered, by what they
 * resolve to then.
 */
export function checkUrl(text: string, allow: Allow): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(text)) return 'must be an absolute URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (text.includes('#')) return 'must not have a fragment'
  const literal = literalAddress(url.hostname)
  const verdict = literal === undefined ? undefined : judge(literal, allow)
  if (url.protocol === 'http:' && (verdict === undefined ? allow.length === 0 : verdict !== 'allowed'))
    return 'must begin with https://'
  if (verdict === 'refused') return PRIVATE
  return undefined
}
