/**
 * Links to received files. A link contains the description of one file, encrypted with a key of the store. Its holder
 * can read the file for a day, or as long as the copy in a bucket is kept.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { DAY } from '../domain/clock.ts'
import type { ReceivedFile } from '../domain/file-download.ts'

export interface OpenedLink {
  instance: string
  /** Tag of the token that the instance had when the link was made. A new token makes the link invalid. */
  tokenTag: string
  file: ReceivedFile
  /** In epoch ms. */
  expiresAt: number
}

export interface MediaLinks {
  /** Returns the part of the URL after `/media/`; null if the description does not fit into a link. */
  seal(instance: string, tokenTag: string, file: ReceivedFile, now: number): string | null
  /**
   * Returns the description in a link. Null for a link that was made with another key, that was changed, or that has
   * expired.
   */
  open(link: string, now: number): OpenedLink | null
}

const MAX_LINK = 1_500
const IV_BYTES = 12
const TAG_BYTES = 16
const AAD = Buffer.from('media link 2')

/** The description in a link. It is a list without names, because the length of a link is limited. */
type Packed = [
  instance: string,
  expiresAt: number,
  kind: ReceivedFile['kind'],
  path: string,
  mediaKey: string,
  fileSha256: string,
  fileEncSha256: string,
  fileLength: number | null,
  mimeType: string,
  fileName: string | null,
  id: string,
  remoteJid: string,
  fromMe: 0 | 1,
  participant: string,
  at: number,
  tokenTag: string,
]

const text = (bytes: Uint8Array | null) => (bytes ? Buffer.from(bytes).toString('base64url') : '')
const bytes = (value: string) => (value === '' ? null : Buffer.from(value, 'base64url'))

/** Lifetime of a link in ms: a day, or as long as the copies in a bucket are kept. */
export const linkLife = (days: number | null): number => (days ?? 1) * DAY

/** `key` has 32 bytes. The links are valid for `life` ms. */
export function createMediaLinks(key: Uint8Array, life: number = DAY): MediaLinks {
  function encrypt(packed: Packed): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    cipher.setAAD(AAD)
    const sealed = [cipher.update(JSON.stringify(packed), 'utf8'), cipher.final()]
    return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64url')
  }

  function decrypt(link: string): Packed | null {
    if (link.length > MAX_LINK || !/^[\w-]+$/.test(link)) return null
    const sealed = Buffer.from(link, 'base64url')
    // Some bits of the last character are unused, so a link with another last character could otherwise be opened.
    if (sealed.length <= IV_BYTES + TAG_BYTES || sealed.toString('base64url') !== link) return null
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES))
    decipher.setAAD(AAD)
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      const plain = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
      return JSON.parse(plain.toString('utf8')) as Packed
    } catch {
      return null
    }
  }

  return {
    seal(instance, tokenTag, file, now) {
      const pack = (fileName: string | null): Packed => [
        instance,
        now + life,
        file.kind,
        file.path,
        text(file.mediaKey),
        text(file.fileSha256),
        text(file.fileEncSha256),
        file.fileLength,
        file.mimeType,
        fileName,
        file.key.id,
        file.key.remoteJid,
        file.key.fromMe ? 1 : 0,
        file.key.participant ?? '',
        file.at,
        tokenTag,
      ]
      // A long file name is the only part that can be shortened.
      for (const fileName of [file.fileName, file.fileName?.slice(-60) ?? null, null]) {
        const link = encrypt(pack(fileName))
        if (link.length <= MAX_LINK) return link
      }
      return null
    },
    open(link, now) {
      const packed = decrypt(link)
      if (!packed || packed[1] < now) return null
      const [
        instance,
        expiresAt,
        kind,
        path,
        mediaKey,
        sha,
        encSha,
        fileLength,
        mimeType,
        fileName,
        id,
        remoteJid,
        fromMe,
        participant,
        at,
        tokenTag,
      ] = packed
      const file: ReceivedFile = {
        kind,
        path,
        mediaKey: bytes(mediaKey),
        fileSha256: bytes(sha),
        fileEncSha256: bytes(encSha),
        fileLength,
        mimeType,
        fileName,
        key: { id, remoteJid, fromMe: fromMe === 1, ...(participant ? { participant } : {}) },
        at,
      }
      return { instance, tokenTag, file, expiresAt }
    },
  }
}
