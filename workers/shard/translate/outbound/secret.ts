/**
 * Encrypts content about another message (a vote, an answer to an event, an edit of an event, a reaction). The key is
 * derived from that message's `messageSecret`, so that the network cannot read the content:
 *     key = HKDF-SHA256(secret, salt empty, info = message id | its author | sender | purpose, 32 bytes), AES-256-GCM, 12-byte iv
 *     AAD = message id | NUL | sender, for votes and answers; none for the others
 */
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type SecretPurpose = 'Poll Vote' | 'Event Response' | 'Event Edit' | 'Enc Reaction'

/**
 * The message that the content is about, and the sender of the content. The jids have no device part, and are the
 * numbers or LIDs with which the message was sent.
 */
export interface SecretAbout {
  secret: Uint8Array
  messageId: string
  author: string
  sender: string
}

const KEY_BYTES = 32
const IV_BYTES = 12
const WITH_AAD: ReadonlySet<SecretPurpose> = new Set(['Poll Vote', 'Event Response'])

/** Encrypts the content. Returns the ciphertext followed by its tag. */
export function sealAbout(
  { secret, messageId, author, sender }: SecretAbout,
  purpose: SecretPurpose,
  plain: Uint8Array,
): { encPayload: Uint8Array; encIv: Uint8Array } {
  const info = `${messageId}${author}${sender}${purpose}`
  const key = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), info, KEY_BYTES))
  const encIv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, encIv)
  if (WITH_AAD.has(purpose)) cipher.setAAD(Buffer.from(`${messageId}\0${sender}`))
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv }
}
