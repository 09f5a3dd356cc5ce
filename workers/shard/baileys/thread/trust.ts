/** Trust root of the network's server. One value per thread: real and sandbox instances never share a thread. */
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'

export interface Trust {
  /** 32-byte public key of the root; the library's own (WhatsApp's) when left out. */
  root?: Uint8Array | undefined
  /** `warn` logs a certificate that fails and goes on: for the day the real chain changes shape. Account signatures are always strict. */
  verify: 'strict' | 'warn'
  /** Epoch milliseconds. */
  now: () => number
  /** Called with one message per certificate that fails. */
  log?: ((problem: string) => void) | undefined
}

const realRoot = WA_CERT_DETAILS.PUBLIC_KEY
const ROOT_SERIAL = WA_CERT_DETAILS.SERIAL

let trust: Trust = { verify: 'strict', now: () => Date.now() }

/** The library reads the root from its exported object at every handshake. */
export function configureTrust(next: Trust): void {
  const root = next.root ?? realRoot
  if (root.byteLength !== 32) throw new RangeError(`a trust root has 32 bytes, not ${root.byteLength}`)
  trust = next
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(root)
  WA_CERT_DETAILS.SERIAL = ROOT_SERIAL
}

export interface Certificate {
  serial: number
  issuerSerial: number
  key: Uint8Array
  /** Seconds; absent where the certificate sets no bound. */
  notBefore: number | undefined
  notAfter: number | undefined
}

/** How far our clock may be off before a certificate's bounds are taken seriously, in ms. */
const CLOCK_SKEW = 3_600 * SECOND

export function isInTime({ notBefore, notAfter }: Certificate): boolean {
  const now = trust.now()
  if (notBefore !== undefined && now < notBefore * SECOND - CLOCK_SKEW) return false
  return notAfter === undefined || now <= notAfter * SECOND + CLOCK_SKEW
}

/** The answer to give the library for a certificate with these problems. */
export function judge(name: string, problems: string[]): boolean {
  if (problems.length === 0) return true
  trust.log?.(`the server's ${name} certificate ${problems.join(', ')}`)
  return trust.verify === 'warn'
}

export const isRoot = (key: Uint8Array) => Buffer.compare(key, WA_CERT_DETAILS.PUBLIC_KEY) === 0

export const rootSerial = () => ROOT_SERIAL

/** In `warn` another issuer passes as well: the library compares with this value right after it has asked us. */
export function tolerateIssuer(serial: number): void {
  if (trust.verify === 'warn') WA_CERT_DETAILS.SERIAL = serial
}
