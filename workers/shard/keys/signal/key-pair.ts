import type { KeyPair } from '@whiskeysockets/baileys'

const PRIVATE_BYTES = 32

export const keyPairBytes = (pair: KeyPair): Uint8Array => Buffer.concat([pair.public, pair.private])

/** Decodes a key pair. The public key has 32 bytes, or 33 if it was stored with its type byte. */
export function keyPairFrom(stored: Uint8Array): KeyPair {
  const at = stored.length - PRIVATE_BYTES
  if (at !== 32 && at !== 33) throw new Error(`a key pair must have 64 or 65 bytes, not ${stored.length}`)
  return { public: Buffer.from(stored.subarray(0, at)), private: Buffer.from(stored.subarray(at)) }
}
