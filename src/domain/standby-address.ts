/** The address at which the other services of a store reach this one (`SVC_STANDBY_ADDRESS`). */

export interface StandbyAddress {
  host: string
  port: number
}

/**
 * Maximum length of a host in characters, enough for an IPv6 address. The host is part of a connection's name, whose
 * length PostgreSQL limits.
 */
const LONGEST_HOST = 39
const NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const IPV6_LETTERS = /^[0-9a-f:.]+$/i
/**
 * Matches an unspecified address (`0.0.0.0`, `::`). It means every interface, so it does not tell other services where
 * this one is.
 */
const UNSPECIFIED = /^(?:::ffff:)?[0:.]+$/i
const DIGITS = /^[\d.]+$/
const PARTS = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/

export const STANDBY_ADDRESSES = `an IP address or a host name of at most ${LONGEST_HOST} characters, alone or with a port: 10.0.0.2, [fd00::2]:8080 or node-b:8080`

const isIPv6 = (text: string) => IPV6_LETTERS.test(text) && URL.canParse(`http://[${text}]`)
const isName = (text: string) => NAME.test(text) && !DIGITS.test(text)

export const isHost = (text: string) =>
  text.length <= LONGEST_HOST && !UNSPECIFIED.test(text) && (IPV4.test(text) || isIPv6(text) || isName(text))
export const isPort = (port: number) => Number.isInteger(port) && port > 0 && port < 65_536

/** Returns the address as text that `parseStandbyAddress` reads; an IPv6 address is in brackets. */
export const addressText = ({ host, port }: StandbyAddress): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Parses an address. The port is undefined if the text has none. Returns undefined if the text is no address. */
export function parseStandbyAddress(text: string): { host: string; port: number | undefined } | undefined {
  if (isHost(text)) return { host: text, port: undefined }
  const [, bracketed, name, digits] = PARTS.exec(text) ?? []
  const host = bracketed ?? name
  if (host === undefined || !isHost(host) || (bracketed !== undefined && !isIPv6(bracketed))) return undefined
  const port = digits === undefined ? undefined : Number(digits)
  return port === undefined || isPort(port) ? { host, port } : undefined
}
