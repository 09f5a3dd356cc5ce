/**
 * Key pairs, key agreements and signatures on Curve25519, from the WebAssembly module. Baileys' `Curve` is not used:
 * its `verify` returns true for any well-formed input, and its functions are 4 to 120 times slower.
 */
import type { KeyPair } from '@whiskeysockets/baileys'
import { calculateAgreement, calculateSignature, generateKeyPair, verifySignature } from 'whatsapp-rust-bridge'

export function newKeyPair(): KeyPair {
  const { pubKey, privKey } = generateKeyPair()
  return { private: Buffer.from(privKey), public: Buffer.from(bare(pubKey)) }
}

/** Returns the 32 bytes that both sides share. Throws if all of them are zero, because they are then not secret. */
export function agreement(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  const shared = Buffer.from(asError(() => calculateAgreement(publicKey, privateKey)))
  if (shared.every((byte) => byte === 0)) throw new Error('the public key of the other side gives an all-zero shared secret')
  return shared
}

export const sign = (privateKey: Uint8Array, message: Uint8Array): Buffer =>
  Buffer.from(asError(() => calculateSignature(privateKey, message)))

/** Returns false also for keys and signatures of a wrong length. Other failures of the module are thrown. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifySignature(publicKey, message, signature)
  } catch (thrown) {
    // For bytes of a wrong length, the module throws a string. Such a signature is invalid.
    if (typeof thrown === 'string') return false
    throw thrown
  }
}

/** Returns the public key without its type byte. */
export const bare = (publicKey: Uint8Array): Uint8Array => (publicKey.length === 33 ? publicKey.subarray(1) : publicKey)

function asError<T>(work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw thrown instanceof Error ? thrown : new Error(String(thrown))
  }
}
