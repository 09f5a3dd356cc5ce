/**
 * Decrypts a received file as a stream. The last chunk is passed on only after the MAC and the hashes have been
 * verified. A changed file never arrives complete: the stream fails instead.
 */
import { createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SealedFile } from '../domain/file-download.ts'

const MAC_BYTES = 10
const BLOCK_BYTES = 16

/**
 * Returns the length of an encrypted file. The content is padded to whole blocks, by a full block if it fits exactly,
 * and a MAC follows.
 */
const sealedLength = (length: number) => (Math.floor(length / BLOCK_BYTES) + 1) * BLOCK_BYTES + MAC_BYTES

/**
 * Returns the length that the file must have. Null if it is unknown or the message has a hash: senders sometimes
 * declare wrong lengths, and phones open such files nevertheless.
 */
const decisiveLength = ({ fileLength, fileSha256, fileEncSha256 }: SealedFile) =>
  fileSha256 === null && fileEncSha256 === null ? fileLength : null

/** Removes the key of a channel's file if the length shows that the host stores the file unencrypted. */
export const asStored = (file: SealedFile, length: number | null): SealedFile =>
  file.isOfChannel && file.fileSha256 !== null && length !== null && length === file.fileLength
    ? { ...file, mediaKey: null }
    : file

/** Length that the file must have on the host; null if the length does not show whether the file is right. */
export function decisiveSealedLength(file: SealedFile): number | null {
  const length = decisiveLength(file)
  return length === null ? null : sealedLength(length)
}

/** Names that the key derivation uses. Stickers have the name of images. */
const KEY_NAMES: Readonly<Record<SealedFile['kind'], string>> = {
  history: 'History',
  'app-state': 'App State',
  image: 'Image',
  sticker: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
}

export class ChangedFile extends Error {
  constructor(what: string) {
    super(`the ${what} of a received file differs from the one in its message`)
    this.name = 'ChangedFile'
  }
}

export const decrypted = (file: SealedFile, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> =>
  file.mediaKey === null ? unencrypted(file, source) : unsealed(file, file.mediaKey, source)

/** Yields the chunks of an unencrypted file. The last one is passed on only after the hash has been verified. */
async function* unencrypted({ fileSha256 }: SealedFile, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let held: Uint8Array | undefined
  for await (const chunk of source) {
    hash.update(chunk)
    if (held) yield held
    held = chunk
  }
  if (!fileSha256 || !hash.digest().equals(fileSha256)) throw new ChangedFile('hash')
  if (held) yield held
}

async function* unsealed(file: SealedFile, mediaKey: Uint8Array, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(32), `WhatsApp ${KEY_NAMES[file.kind]} Keys`, 112))
  const iv = keys.subarray(0, 16)
  const decipher = createDecipheriv('aes-256-cbc', keys.subarray(16, 48), iv)
  const mac = createHmac('sha256', keys.subarray(48, 80)).update(iv)
  const sealed = createHash('sha256')
  const plain = createHash('sha256')
  let tail: Uint8Array = new Uint8Array(0)
  const wanted = decisiveLength(file)
  let length = 0
  let held: Uint8Array | undefined

  function counted(bytes: Uint8Array) {
    plain.update(bytes)
    length += bytes.length
    if (wanted !== null && length > wanted) throw new ChangedFile('length')
  }

  for await (const chunk of source) {
    sealed.update(chunk)
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    const cipher = bytes.subarray(0, Math.max(0, bytes.length - MAC_BYTES))
    // A view of the chunk would keep the whole chunk in memory.
    tail = Uint8Array.from(bytes.subarray(cipher.length))
    if (cipher.length === 0) continue
    mac.update(cipher)
    const opened = decipher.update(cipher)
    if (opened.length === 0) continue
    counted(opened)
    if (held) yield held
    held = opened
  }

  const expected = mac.digest().subarray(0, MAC_BYTES)
  if (tail.length !== MAC_BYTES || !timingSafeEqual(tail, expected)) throw new ChangedFile('MAC')
  if (file.fileEncSha256 && !sealed.digest().equals(file.fileEncSha256)) throw new ChangedFile('sealed hash')
  const last = decipher.final()
  counted(last)
  if (file.fileSha256 && !plain.digest().equals(file.fileSha256)) throw new ChangedFile('hash')
  if (wanted !== null && length !== wanted) throw new ChangedFile('length')
  if (held) yield held
  if (last.length > 0) yield last
}
