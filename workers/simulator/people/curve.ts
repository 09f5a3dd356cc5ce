import * as curve from 'libsignal/src/curve.js'

/** Curve25519 as libsignal has it: private keys of 32 bytes, public keys of 33 (0x05 in front). The rest of the simulator uses 32. */
export interface KeyPair {
  pubKey: Buffer
  privKey: Buffer
}

const KEY_TYPE = Buffer.from([5])

export function newKeyPair(): KeyPair {
  const pair = curve.generateKeyPair()
  return { pubKey: Buffer.from(pair.pubKey), privKey: Buffer.from(pair.privKey) }
}

/** 33 bytes, from 32 or 33. */
export function typedKey(key: Uint8Array): Buffer {
  if (key.length === 33 && key[0] === 5) return Buffer.from(key)
  if (key.length === 32) return Buffer.concat([KEY_TYPE, key])
  throw new Error(`a curve25519 public key has 32 or 33 bytes, this one ${key.length}`)
}

/** 32 bytes, from 32 or 33. */
export function bareKey(key: Uint8Array): Buffer {
  return typedKey(key).subarray(1)
}

export function agreement(publicKey: Uint8Array, privateKey: Uint8Array): Buffer {
  return Buffer.from(curve.calculateAgreement(typedKey(publicKey), Buffer.from(privateKey)))
}

/** XEdDSA. */
export function sign(privateKey: Uint8Array, message: Uint8Array): Buffer {
  return Buffer.from(curve.calculateSignature(Buffer.from(privateKey), Buffer.from(message)))
}

/** libsignal returns true for anything when its fourth argument is set, as its own SessionBuilder does: never set it. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  const verify: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => unknown = curve.verifySignature
  return verify(typedKey(publicKey), Buffer.from(message), Buffer.from(signature)) === true
}
