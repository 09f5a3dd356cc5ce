import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { aesEncryptGCM, bytesToCrockford } from '@whiskeysockets/baileys'
import { agreement } from '../../keys/curve.ts'
import { type CompanionIdentity, KEY_BYTES, type PrimaryIdentity } from '../../wire/passkey.ts'

const NONE = Buffer.alloc(0)

/**
 * Derives the key with which this device proves that it is the device whose code the phone has accepted. The key comes
 * from the secret in that code.
 */
export const handoffKey = (advSecret: Uint8Array): Buffer => derived(advSecret, NONE, 'shortcake-passkey-handoff-v1')

export const handoffProof = (key: Uint8Array, payload: Uint8Array): Buffer => createHmac('sha256', key).update(payload).digest()

/**
 * Returns a hash that must be sent before the phone chooses its own nonce: otherwise either side could search for a
 * nonce that makes both codes equal. `identity` is encoded.
 */
export const commitmentTo = (nonce: Uint8Array, identity: Uint8Array): Buffer => sha256(identity, nonce)

export function encryptionKey(
  privateKey: Uint8Array,
  primary: Pick<PrimaryIdentity, 'publicKey'>,
  { deviceType, ref }: Pick<CompanionIdentity, 'deviceType' | 'ref'>,
): Buffer {
  const shared = agreement(privateKey, primary.publicKey)
  return derived(shared, Buffer.from(`Companion Pairing ${deviceType} with ref ${ref}`), 'Pairing Information Encryption Key')
}

const CODE_BYTES = 5

/**
 * Returns the code to compare: two groups of four characters with a hyphen. The phone shows another code if somebody
 * intercepts the connection.
 */
export function confirmationCode(nonce: Uint8Array, primary: PrimaryIdentity): string {
  const mask = sha256(nonce, primary.publicKey)
  const code = bytesToCrockford(Buffer.from(primary.nonce.subarray(0, CODE_BYTES).map((byte, at) => byte ^ mask[at]!)))
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

export const sealedWith = (key: Uint8Array, iv: Uint8Array, request: Uint8Array): Buffer => aesEncryptGCM(request, key, iv, NONE)

const sha256 = (...parts: Uint8Array[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

const derived = (secret: Uint8Array, salt: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES))
