import { createHmac, hkdfSync } from 'node:crypto'
import * as curve from 'libsignal/src/curve.js'

/** A key pair of Curve25519. Both keys have 32 bytes; the public key has no 0x05 prefix, unlike in libsignal. */
export interface KeyPair {
  publicKey: Buffer
  privateKey: Buffer
}

const TYPE_PREFIX = Buffer.from([5])

function prefixed(publicKey: Uint8Array): Buffer {
  return publicKey.length === 33 ? Buffer.from(publicKey) : Buffer.concat([TYPE_PREFIX, publicKey])
}

export function generateKeyPair(): KeyPair {
  const pair = curve.generateKeyPair()
  return { publicKey: Buffer.from(pair.pubKey.subarray(1)), privateKey: Buffer.from(pair.privKey) }
}

export function agree(pair: KeyPair, publicKey: Uint8Array): Buffer {
  return Buffer.from(curve.calculateAgreement(prefixed(publicKey), pair.privateKey))
}

export function sign(pair: KeyPair, message: Uint8Array): Buffer {
  return Buffer.from(curve.calculateSignature(pair.privateKey, Buffer.from(message)))
}

/**
 * Verifies a signature with libsignal's own function, because Baileys' `Curve.verify` returns true for every
 * well-formed input.
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return curve.verifySignature(prefixed(publicKey), Buffer.from(message), Buffer.from(signature))
}

export function hkdf(secret: Uint8Array, length: number, salt: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}

export function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

export interface SavedKeyPair {
  public: string
  private: string
}

export function saveKeyPair(pair: KeyPair): SavedKeyPair {
  return { public: pair.publicKey.toString('base64'), private: pair.privateKey.toString('base64') }
}

export function restoreKeyPair(saved: SavedKeyPair): KeyPair {
  return { publicKey: Buffer.from(saved.public, 'base64'), privateKey: Buffer.from(saved.private, 'base64') }
}
