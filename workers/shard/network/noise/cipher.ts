/**
 * AES-256-GCM as the Noise protocol uses it: the nonce is a counter, and the authentication tag follows the ciphertext.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/** Number of bytes by which an encrypted message is longer than its plaintext. */
export const TAG = 16
const NONCE = 12

export interface Position {
  key: Uint8Array
  /** Number of messages that were encrypted with the key before. A key and a counter must never be used twice. */
  counter: number
  /** Data that is authenticated with the message, and not sent. */
  bound?: Uint8Array | undefined
}

export function sealFrame(plaintext: Uint8Array, position: Position): Buffer {
  const sealed = Buffer.allocUnsafe(plaintext.length + TAG)
  sealInto(sealed, 0, plaintext, position)
  return sealed
}

/** Writes the encrypted message, `TAG` bytes longer than its plaintext, into a buffer. */
export function sealInto(target: Buffer, at: number, plaintext: Uint8Array, { key, counter, bound }: Position): void {
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(counter))
  if (bound) cipher.setAAD(bound)
  target.set(cipher.update(plaintext), at)
  // In this mode `update` returns all of the text, so `final` only computes the tag.
  cipher.final()
  target.set(cipher.getAuthTag(), at + plaintext.length)
}

/** Decrypts a message. Throws if the bytes were encrypted with another key, counter or bound data. */
export function unsealFrame(sealed: Uint8Array, { key, counter, bound }: Position): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, nonceOf(counter), { authTagLength: TAG })
  if (bound) decipher.setAAD(bound)
  decipher.setAuthTag(sealed.subarray(-TAG))
  const plaintext = decipher.update(sealed.subarray(0, -TAG))
  decipher.final()
  return plaintext
}

/**
 * The nonce of all messages, of which only the last 4 bytes change. A cipher copies the nonce when it is created, so
 * all ciphers can share this buffer.
 */
const SHARED_NONCE = Buffer.alloc(NONCE)

/** Returns the nonce for a counter. Throws a RangeError after 4,294,967,296 messages with one key. */
function nonceOf(counter: number): Buffer {
  SHARED_NONCE.writeUInt32BE(counter, NONCE - 4)
  return SHARED_NONCE
}
