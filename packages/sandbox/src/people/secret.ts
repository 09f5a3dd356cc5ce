import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encrypts content that refers to another message (a poll vote, an answer to an event, an edit). The key is derived
 * from that message's `messageSecret`, so that the network cannot read the content:
 *   key = HKDF(secret, salt 0, info = message id | its author | the sender | purpose, 32)
 *   cipher = AES-256-GCM with an iv of 12 bytes
 *   aad = message id | NUL | the sender, for votes and answers; none for edits, reactions and comments
 */
export type SecretPurpose = 'Poll Vote' | 'Event Response' | 'Message Edit' | 'Event Edit' | 'Enc Reaction' | 'Enc Comment'

export interface SecretAbout {
  secret: Uint8Array
  messageId: string
  author: string
  sender: string
}

const TAG_BYTES = 16
const BOUND: ReadonlySet<SecretPurpose> = new Set(['Poll Vote', 'Event Response'])

export function sealAbout(about: SecretAbout, purpose: SecretPurpose, plain: Uint8Array): { encPayload: Buffer; encIv: Buffer } {
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFor(about, purpose), encIv)
  cipher.setAAD(aadFor(about, purpose))
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv }
}

/** Decrypts content. Throws if it was encrypted with another key. */
export function unsealAbout(about: SecretAbout, purpose: SecretPurpose, encPayload: Uint8Array, encIv: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyFor(about, purpose), encIv)
  decipher.setAAD(aadFor(about, purpose))
  decipher.setAuthTag(encPayload.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(encPayload.subarray(0, -TAG_BYTES)), decipher.final()])
}

function keyFor({ secret, messageId, author, sender }: SecretAbout, purpose: SecretPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(32), `${messageId}${author}${sender}${purpose}`, 32))
}

function aadFor({ messageId, sender }: SecretAbout, purpose: SecretPurpose): Buffer {
  return BOUND.has(purpose) ? Buffer.from(`${messageId}\0${sender}`) : Buffer.alloc(0)
}
