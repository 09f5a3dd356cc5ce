import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign as signEd25519,
  verify,
} from 'node:crypto'
import * as curve from 'libsignal/src/curve.js'

/**
 * Keys of Curve25519 in the form of libsignal. A private key has 32 bytes. A public key has 33, because it begins with
 * 0x05.
 */
export interface KeyPair {
  pubKey: Buffer
  privKey: Buffer
}

/** A key pair for signatures. The private key is the scalar that Ed25519 derives from `seed`. */
export interface SigningPair extends KeyPair {
  seed: Buffer
}

const KEY_TYPE = Buffer.from([5])

/** Prefixes in the DER encoding of a key that has 32 bytes. */
const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')

export function newKeyPair(): KeyPair {
  const pair = curve.generateKeyPair()
  return { pubKey: Buffer.from(pair.pubKey), privKey: Buffer.from(pair.privKey) }
}

/**
 * Makes a key pair with which OpenSSL can sign in a tenth of a ms, because it comes from an Ed25519 seed. libsignal
 * signs and verifies in JavaScript, in 8 to 10 ms, and a group of 500 people needs this 500 times per message.
 */
export function newSigningPair(): SigningPair {
  return signingPair(randomBytes(32))
}

export function signingPair(seed: Buffer): SigningPair {
  const privKey = createHash('sha512').update(seed).digest().subarray(0, 32)
  privKey[0]! &= 248
  privKey[31]! = (privKey[31]! & 127) | 64
  return { seed, privKey, pubKey: typedKey(publicBytes(privateKey(PKCS8_X25519, privKey))) }
}

export function typedKey(key: Uint8Array): Buffer {
  if (key.length === 33 && key[0] === 5) return Buffer.from(key)
  if (key.length === 32) return Buffer.concat([KEY_TYPE, key])
  throw new Error(`a curve25519 public key has 32 or 33 bytes, this one ${key.length}`)
}

export function bareKey(key: Uint8Array): Buffer {
  return typedKey(key).subarray(1)
}

export function agreement(publicKey: Uint8Array, privateKey: Uint8Array): Buffer {
  return Buffer.from(curve.calculateAgreement(typedKey(publicKey), Buffer.from(privateKey)))
}

/**
 * Signs a message with XEdDSA. This is an Ed25519 signature whose last bit is the sign of the Edwards point, because
 * the Montgomery coordinate does not contain this sign.
 */
export function sign({ seed }: Pick<SigningPair, 'seed'>, message: Uint8Array): Buffer {
  const key = privateKey(PKCS8_ED25519, seed)
  const signature = signEd25519(null, message, key)
  signature[63]! |= publicBytes(key)[31]! & 0x80
  return signature
}

export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  const point = edwardsPoint(bareKey(publicKey))
  point[31]! |= signature[63]! & 0x80
  const plain = Buffer.from(signature)
  plain[63]! &= 0x7f
  return verify(null, message, createPublicKey({ key: Buffer.concat([SPKI_ED25519, point]), format: 'der', type: 'spki' }), plain)
}

const P = 2n ** 255n - 19n

/** Converts a Montgomery coordinate to an Edwards point: y = (u - 1) / (u + 1), little-endian. */
function edwardsPoint(montgomery: Buffer): Buffer {
  const u = BigInt(`0x${Buffer.from(montgomery).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  const y = ((u - 1n + P) * inverse((u + 1n) % P)) % P
  return Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()
}

/**
 * Returns the inverse of a number modulo the prime. For 0 it returns 0, which leads to a point without a valid
 * signature.
 */
function inverse(value: bigint): bigint {
  let [a, b, x, y] = [value, P, 1n, 0n]
  while (a > 1n) {
    const quotient = a / b
    ;[a, b] = [b, a % b]
    ;[x, y] = [y, x - quotient * y]
  }
  return a === 0n ? 0n : ((x % P) + P) % P
}

const privateKey = (prefix: Buffer, key: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([prefix, key]), format: 'der', type: 'pkcs8' })

const publicBytes = (key: KeyObject): Buffer => createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
