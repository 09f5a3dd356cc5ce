/**
 * The library's `Curve.verify` (Utils/crypto.js) returns true for any well-formed input: it only catches exceptions, but libsignal 6 returns a
 * boolean. So neither the server's certificate (Utils/noise-handler.js) nor the account's signature (Utils/validate-connection.js) is ever verified.
 * Also, the key of the leaf certificate is never compared with the static key of the handshake, so another server could present a chain that was
 * captured from the real one.
 *
 * The functions of the exported object are replaced, because all code in the library calls them through it. The replacements use WebAssembly, which
 * is also 4 to 120 times faster.
 */
import { Curve, type KeyPair, proto } from '@whiskeysockets/baileys'
import { calculateAgreement, calculateSignature, generateKeyPair, verifySignature } from 'whatsapp-rust-bridge'
import { agreed } from './read-key.ts'
import { type Certificate, isInTime, isRoot, judge, rootSerial, tolerateIssuer } from './trust.ts'

const { Details } = proto.CertChain.NoiseCertificate

/**
 * State of the handshake that is running: the other side's public key in the last agreement, and the leaf certificate after its `verify`.
 * `processHandshake` is synchronous: agreement with the server's ephemeral key, agreement with its static key, `verify` of the leaf certificate,
 * `verify` of the intermediate certificate. No other connection can run between these four steps.
 */
let handshake: { staticKey: Uint8Array; leaf?: Certificate } | undefined

const wasmCurve = {
  generateKeyPair(): KeyPair {
    const { pubKey, privKey } = generateKeyPair()
    return { private: Buffer.from(privKey), public: Buffer.from(pubKey.subarray(1)) }
  },

  sharedKey(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
    handshake = { staticKey: bare(publicKey) }
    const secret = Buffer.from(asError(() => calculateAgreement(publicKey, privateKey)))
    agreed({ privateKey, publicKey, secret })
    return secret
  },

  sign(privateKey: Uint8Array, message: Uint8Array): Buffer {
    return Buffer.from(asError(() => calculateSignature(privateKey, message)))
  },

  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    return isAccountMessage(message)
      ? isSignedBy(publicKey, message, signature)
      : verifyCertificate(publicKey, message, signature)
  },
}

Object.assign(Curve, wasmCurve)

/** Whether the signature is valid. False also for keys and signatures of a wrong length, for which the module throws. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifySignature(publicKey, message, signature)
  } catch {
    // For bytes of a wrong length, the module throws a string. Such bytes are not a valid signature.
    return false
  }
}

/**
 * Whether an account has signed the data, which then begins with 06 00 (06 05 for hosted accounts). No certificate begins with these bytes, because
 * 06 is not a valid protobuf field.
 */
const isAccountMessage = (message: Uint8Array) => message[0] === 6 && (message[1] === 0 || message[1] === 5)

function verifyCertificate(issuerKey: Uint8Array, details: Uint8Array, signature: Uint8Array): boolean {
  const certificate = readCertificate(details)
  const isSigned = isSignedBy(issuerKey, details, signature)
  if (handshake && !handshake.leaf) {
    handshake.leaf = certificate ?? UNREADABLE
    return judge(
      'leaf',
      problemsOf(certificate, isSigned, (leaf) => leafProblems(leaf, handshake!.staticKey)),
    )
  }
  const leaf = handshake?.leaf
  handshake = undefined
  if (certificate) tolerateIssuer(certificate.issuerSerial)
  return judge(
    'intermediate',
    problemsOf(certificate, isSigned, (found) => intermediateProblems(found, issuerKey, leaf)),
  )
}

const UNREADABLE: Certificate = { serial: -1, issuerSerial: -1, key: new Uint8Array(), notBefore: undefined, notAfter: undefined }

function problemsOf(
  certificate: Certificate | undefined,
  isSigned: boolean,
  more: (certificate: Certificate) => string[],
): string[] {
  if (!certificate) return ['is not readable']
  return [
    ...(isSigned ? [] : ['is not signed by its issuer']),
    ...(isInTime(certificate) ? [] : ['is outside its time']),
    ...more(certificate),
  ]
}

const leafProblems = ({ key }: Certificate, staticKey: Uint8Array) =>
  Buffer.compare(key, staticKey) === 0 ? [] : ['is for another server than this one']

const intermediateProblems = ({ serial, issuerSerial }: Certificate, issuerKey: Uint8Array, leaf: Certificate | undefined) => [
  ...(isRoot(issuerKey) ? [] : ['is not from the trusted root']),
  ...(issuerSerial === rootSerial() ? [] : ['names another issuer than the root']),
  ...(leaf && leaf.issuerSerial === serial ? [] : ['is not the issuer of the leaf']),
]

function readCertificate(bytes: Uint8Array): Certificate | undefined {
  try {
    const { serial, issuerSerial, key, notBefore, notAfter } = Details.decode(bytes)
    if (!key?.length) return undefined
    return {
      serial: serial ?? 0,
      issuerSerial: issuerSerial ?? 0,
      key: bare(key),
      notBefore: notBefore == null ? undefined : Number(notBefore),
      notAfter: notAfter == null ? undefined : Number(notAfter),
    }
  } catch {
    // Bytes that are not a certificate count as an unreadable certificate.
    return undefined
  }
}

/** Public key without its type byte. */
const bare = (publicKey: Uint8Array) => (publicKey.length === 33 ? publicKey.subarray(1) : publicKey)

/** Converts strings that the module throws to Errors. */
function asError<T>(work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw thrown instanceof Error ? thrown : new Error(String(thrown))
  }
}
