/**
 * Holds the trust root of the network's server. There is one value per thread: real and sandbox instances never share a
 * thread.
 */
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'

export interface Trust {
  /** 32-byte public key of the root. If it is absent, the library's own root (WhatsApp's) is used. */
  root?: Uint8Array | undefined
  /**
   * `warn` only logs an invalid certificate and continues, because the network may change the form of its certificates. Signatures of accounts are
   * always verified.
   */
  verify: 'strict' | 'warn'
  /** Current time, in epoch milliseconds. */
  now: () => number
  /** Called with one message per invalid certificate. */
  log?: ((problem: string) => void) | undefined
}

const realRoot = WA_CERT_DETAILS.PUBLIC_KEY
const ROOT_SERIAL = WA_CERT_DETAILS.SERIAL

let trust: Trust = { verify: 'strict', now: () => Date.now() }

/** Sets the trust of the thread. The library reads the root from its exported object at every handshake. */
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
  /** Start of the validity in seconds since the epoch; absent if the certificate has none. */
  notBefore: number | undefined
  notAfter: number | undefined
}

/** A certificate is accepted up to this time in ms before or after its validity, because our clock may be wrong. */
const CLOCK_SKEW = 3_600 * SECOND

export function isInTime({ notBefore, notAfter }: Certificate): boolean {
  const now = trust.now()
  if (notBefore !== undefined && now < notBefore * SECOND - CLOCK_SKEW) return false
  return notAfter === undefined || now <= notAfter * SECOND + CLOCK_SKEW
}

/** Decides whether the library accepts a certificate with these problems. */
export function judge(name: string, problems: string[]): boolean {
  if (problems.length === 0) return true
  trust.log?.(`the server's ${name} certificate ${problems.join(', ')}`)
  return trust.verify === 'warn'
}

export const isRoot = (key: Uint8Array) => Buffer.compare(key, WA_CERT_DETAILS.PUBLIC_KEY) === 0

export const rootSerial = () => ROOT_SERIAL

/** In the mode `warn`, accepts any issuer: sets the serial number with which the library compares the issuer right after this call. */
export function tolerateIssuer(serial: number): void {
  if (trust.verify === 'warn') WA_CERT_DETAILS.SERIAL = serial
}
