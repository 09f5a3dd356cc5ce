/**
 * Verifies that a server belongs to the network. Its long-term key is in a certificate (leaf) that was signed by
 * another one (intermediate), which was signed by the trusted root.
 */
import { proto, WA_CERT_DETAILS } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { isSignedBy } from '../../keys/curve.ts'
import { endReason } from '../end-reason.ts'

const { CertChain } = proto
const { Details } = CertChain.NoiseCertificate

export interface Trust {
  /** 32-byte public key of the root. If it is absent, the root of WhatsApp is used. */
  root?: Uint8Array | undefined
  /**
   * `warn` only logs an invalid certificate and continues, because the network may change the form of its certificates.
   */
  verify: 'strict' | 'warn'
  /** Current time, in epoch milliseconds. */
  now: () => number
  /** With `warn`, called with one message per invalid certificate. With `strict`, the thrown error has the message. */
  log: (problem: string) => void
}

const KEY_BYTES = 32
/** Status code of the error for a server that is not trusted. */
const NOT_TRUSTED = 400
/** A certificate is accepted up to this time in ms before or after its validity, because our clock may be wrong. */
const CLOCK_SKEW = 3_600 * SECOND

interface Certificate {
  serial: number
  issuerSerial: number
  key: Uint8Array
  /**
   * Limits of the validity in seconds since the epoch. A missing limit becomes 0 or Infinity, so such a certificate is
   * accepted: the network may not always send limits, and the signature still proves that the certificate is genuine.
   */
  notBefore: number
  notAfter: number
  isSignedBy(issuerKey: Uint8Array): boolean
}

/** Throws if the server with this long-term key is not trusted; with `warn`, the reason is only logged. */
export function verifyServer(serverKey: Uint8Array, certificates: Uint8Array, trust: Trust): void {
  const chain = chainFrom(certificates)
  const leaf = certificateFrom(chain?.leaf)
  const intermediate = certificateFrom(chain?.intermediate)
  judge('leaf', leaf ? leafProblems(leaf, intermediate, serverKey, trust) : UNREADABLE, trust)
  judge('intermediate', intermediate ? intermediateProblems(intermediate, trust) : UNREADABLE, trust)
}

const UNREADABLE = ['is not readable']

const leafProblems = (leaf: Certificate, issuer: Certificate | undefined, serverKey: Uint8Array, { now }: Trust) => [
  ...(issuer && leaf.isSignedBy(issuer.key) ? [] : ['is not signed by its issuer']),
  ...(issuer && leaf.issuerSerial === issuer.serial ? [] : ['names another issuer than the intermediate certificate']),
  ...(isInTime(leaf, now()) ? [] : ['is outside its time']),
  ...(Buffer.compare(leaf.key, serverKey) === 0 ? [] : ['is for another server than this one']),
]

const intermediateProblems = (intermediate: Certificate, { root = WA_CERT_DETAILS.PUBLIC_KEY, now }: Trust) => [
  ...(intermediate.isSignedBy(root) ? [] : ['is not signed by the trusted root']),
  ...(intermediate.issuerSerial === WA_CERT_DETAILS.SERIAL ? [] : ['names another issuer than the root']),
  ...(isInTime(intermediate, now()) ? [] : ['is outside its time']),
]

function judge(name: string, problems: readonly string[], { verify, log }: Trust): void {
  if (problems.length === 0) return
  const problem = `the server's ${name} certificate ${problems.join(', ')}`
  if (verify === 'strict') throw endReason(problem, NOT_TRUSTED)
  log(problem)
}

const isInTime = ({ notBefore, notAfter }: Certificate, now: number): boolean =>
  now >= notBefore * SECOND - CLOCK_SKEW && now <= notAfter * SECOND + CLOCK_SKEW

function chainFrom(bytes: Uint8Array): proto.CertChain | undefined {
  try {
    return CertChain.decode(bytes)
  } catch {
    // Bytes that are not a chain count as a chain without readable certificates.
    return undefined
  }
}

function certificateFrom(signed: proto.CertChain.INoiseCertificate | null | undefined): Certificate | undefined {
  const { details, signature } = signed ?? {}
  if (!details || !signature) return undefined
  try {
    const { serial, issuerSerial, key, notBefore, notAfter } = Details.decode(details)
    if (key?.length !== KEY_BYTES) return undefined
    return {
      serial: serial ?? 0,
      issuerSerial: issuerSerial ?? 0,
      key,
      notBefore: Number(notBefore ?? 0),
      notAfter: notAfter == null ? Number.POSITIVE_INFINITY : Number(notAfter),
      isSignedBy: (issuerKey) => isSignedBy(issuerKey, details, signature),
    }
  } catch {
    // Bytes that are not a certificate count as an unreadable certificate.
    return undefined
  }
}
