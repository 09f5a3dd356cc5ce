import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Encrypts and decrypts media as the network does: AES-256-CBC ciphertext, then the first 10 bytes of HMAC-SHA256(mac
 * key, iv | ciphertext). HKDF(media key, info "WhatsApp <name> Keys", 112) = iv 16 | cipher key 32 | mac key 32 | ref
 * key 32.
 */
export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'ptv' | 'md-msg-hist' | 'md-app-state'

/** Names of the kinds in the key derivation, in which a sticker is an image, and a round video is a video. */
const KEY_NAMES: Record<MediaKind, string> = {
  image: 'Image',
  sticker: 'Image',
  video: 'Video',
  ptv: 'Video',
  audio: 'Audio',
  document: 'Document',
  'md-msg-hist': 'History',
  'md-app-state': 'App State',
}

const MAC_BYTES = 10

export interface SealedMedia {
  /** The encrypted bytes to upload. */
  blob: Buffer
  mediaKey: Buffer
  fileSha256: Buffer
  fileEncSha256: Buffer
  fileLength: number
}

export function sealMedia(plain: Uint8Array, kind: MediaKind, mediaKey: Buffer = randomBytes(32)): SealedMedia {
  const { iv, cipherKey, macKey } = expand(mediaKey, kind)
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  const blob = Buffer.concat([ciphertext, macOf(macKey, iv, ciphertext)])
  return { blob, mediaKey, fileSha256: sha256(plain), fileEncSha256: sha256(blob), fileLength: plain.length }
}

export function openMedia(blob: Uint8Array, kind: MediaKind, mediaKey: Uint8Array): Buffer {
  const { iv, cipherKey, macKey } = expand(mediaKey, kind)
  const ciphertext = blob.subarray(0, -MAC_BYTES)
  const mac = blob.subarray(-MAC_BYTES)
  if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, macOf(macKey, iv, ciphertext))) throw new Error(`${kind} has a wrong MAC`)
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

function expand(mediaKey: Uint8Array, kind: MediaKind): { iv: Buffer; cipherKey: Buffer; macKey: Buffer } {
  const info = `WhatsApp ${KEY_NAMES[kind]} Keys`
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(32), info, 112))
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) }
}

const macOf = (macKey: Buffer, iv: Buffer, ciphertext: Uint8Array): Buffer =>
  createHmac('sha256', macKey).update(iv).update(ciphertext).digest().subarray(0, MAC_BYTES)
