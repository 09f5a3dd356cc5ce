/**
 * Uploads a file to the network's media host. The file is encrypted piece by piece into another file on disk. A file
 * for a channel is not encrypted, and has another path.
 */
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { getMediaKeys, uploadWithNodeHttp } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { MediaInput } from '../../../src/domain/media.ts'
import { UPLOAD_DEADLINE, within } from '../connection/within.ts'
import type { SendContext } from '../send/contract.ts'
import type { Destination } from '../send/destination.ts'
import { type Arrived, withMedia } from './arrival.ts'

export interface Uploaded {
  url: string
  directPath: string
  mediaKey?: Uint8Array
  fileEncSha256?: Uint8Array
  fileSha256: Uint8Array
  fileLength: number
  mediaKeyTimestamp?: number
  /** The stanza of a channel post contains this handle; the message does not. */
  handle?: string
}

/** Time in ms without a transferred byte, after which the upload to a host is given up. */
const IDLE_LIMIT = 30 * SECOND
const PIECE = 256 * 1_024
const MAC_BYTES = 10
const ORIGIN = 'https://web.whatsapp.com'

export type UploadType = 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'thumbnail-link'
/** Stickers and preview pictures of links are stored as images. */
const FOLDERS = {
  image: 'image',
  sticker: 'image',
  'thumbnail-link': 'image',
  video: 'video',
  audio: 'audio',
  document: 'document',
} as const satisfies Record<UploadType, string>

export async function upload(
  context: SendContext,
  to: Pick<Destination, 'kind'>,
  type: UploadType,
  { path, dir }: Arrived,
): Promise<Uploaded> {
  if (to.kind === 'newsletter') {
    const plain = await measure(path)
    // Preview pictures of links in channels have their own folder.
    const folder = type === 'thumbnail-link' ? type : FOLDERS[type]
    const answer = await send(context, path, `/newsletter/newsletter-${folder}`, plain.fileSha256, '&server_thumb_gen=1')
    return { ...answer, ...plain }
  }
  const sealing = await createSealing(type)
  const sealedPath = join(dir, 'sealed')
  await pipeline(createReadStream(path, { highWaterMark: PIECE }), sealing.through, createWriteStream(sealedPath))
  return uploadSealed(context, type, sealedPath, sealing)
}

/**
 * Returns the key of an upload that was prepared ahead. The queue item or the URL identifies the file, so its bytes are
 * not part of the key.
 */
export const wishOf = (to: Pick<Destination, 'kind'>, type: UploadType, rest: readonly unknown[]): string =>
  JSON.stringify([to.kind === 'newsletter', type, ...rest])

/** Uploads media that needs no conversion. Except for channels, it is encrypted before it is written to disk. */
export function uploadAsItComes(
  context: SendContext,
  to: Pick<Destination, 'kind'>,
  type: UploadType,
  input: MediaInput,
  limitBytes: number,
): Promise<Uploaded> {
  return context.media.once(wishOf(to, type, [input, limitBytes]), async () => {
    if (to.kind === 'newsletter') return withMedia(context, input, limitBytes, (arrived) => upload(context, to, type, arrived))
    const sealing = await createSealing(type)
    const sent = ({ path }: Arrived) => uploadSealed(context, type, path, sealing)
    return withMedia(context, input, limitBytes, sent, sealing.through)
  })
}

async function uploadSealed(context: SendContext, type: UploadType, path: string, sealing: Sealing): Promise<Uploaded> {
  const sealed = sealing.ended()
  const { handle: _, ...answer } = await send(context, path, `/mms/${FOLDERS[type]}`, sealed.fileEncSha256)
  return { ...answer, ...sealed, mediaKeyTimestamp: Math.floor(context.now() / SECOND) }
}

export interface UploadContext extends Pick<SendContext, 'ask' | 'session' | 'log'> {
  media: Pick<SendContext['media'], 'uploadAgent'>
}

export const uploadPlain = async (context: UploadContext, path: string, folder: string) =>
  send(context, path, folder, (await measure(path)).fileSha256)

/**
 * Uploads a file to a media host. The cached credentials of the hosts can become invalid before they expire. So if all
 * hosts refuse the file, they are tried once more with new ones.
 */
async function send({ ask, session, media, log }: UploadContext, filePath: string, folder: string, hash: Buffer, more = '') {
  const token = hash.toString('base64url')
  const headers = { 'Content-Type': 'application/octet-stream', Origin: ORIGIN }
  let problem: unknown
  for (const isNew of [false, true]) {
    const { auth, hosts } = await session.mediaHosts(ask, isNew)
    for (const host of hosts) {
      const url = `https://${host}${folder}/${token}?auth=${encodeURIComponent(auth)}&token=${token}${more}`
      const params = { url, filePath, headers, timeoutMs: IDLE_LIMIT, agent: media.uploadAgent() }
      try {
        const answer = await within(session, UPLOAD_DEADLINE, uploadWithNodeHttp(params))
        if (answer?.direct_path) return answered(answer as UploadAnswer & { direct_path: string })
        problem = answer
      } catch (error) {
        if (error instanceof Failure) throw error
        problem = error
      }
      log.warn({ host, err: problem }, 'a media host refused an upload')
    }
  }
  throw new Failure('send_failed', { message: 'The media could not be uploaded.', cause: problem })
}

interface UploadAnswer {
  url?: string
  handle?: string
}

const answered = ({ url = '', direct_path: directPath, handle }: UploadAnswer & { direct_path: string }) => ({
  url,
  directPath,
  ...(handle ? { handle } : {}),
})

async function measure(path: string): Promise<Pick<Uploaded, 'fileLength'> & { fileSha256: Buffer }> {
  const hash = createHash('sha256')
  let fileLength = 0
  for await (const piece of createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>) {
    hash.update(piece)
    fileLength += piece.byteLength
  }
  return { fileSha256: hash.digest(), fileLength }
}

interface Sealing {
  /** Encrypts the bytes for the media host. Call it only once. */
  through(plain: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer>
  /** Returns the keys and hashes of the file. Call it after all bytes have passed through. */
  ended(): Pick<Uploaded, 'fileLength'> & { mediaKey: Buffer; fileSha256: Buffer; fileEncSha256: Buffer }
}

/**
 * Encrypts with AES-256-CBC, then appends the first 10 bytes of HMAC-SHA256(mac key, iv | ciphertext): the format of
 * all media on the network.
 */
async function createSealing(type: UploadType): Promise<Sealing> {
  const mediaKey = randomBytes(32)
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, type)
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const mac = createHmac('sha256', macKey!).update(iv)
  const plain = createHash('sha256')
  const sealed = createHash('sha256')
  let fileLength = 0
  const out = (piece: Buffer) => {
    mac.update(piece)
    sealed.update(piece)
    return piece
  }
  return {
    async *through(source) {
      for await (const piece of source) {
        fileLength += piece.byteLength
        plain.update(piece)
        yield out(cipher.update(piece))
      }
      yield out(cipher.final())
      const end = mac.digest().subarray(0, MAC_BYTES)
      sealed.update(end)
      yield end
    },
    ended: () => ({ mediaKey, fileSha256: plain.digest(), fileEncSha256: sealed.digest(), fileLength }),
  }
}
