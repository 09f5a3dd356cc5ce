/**
 * Uploads a media file again if its message is forwarded between a channel and another chat. Files of channels are not
 * encrypted, but files of other chats are.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isJidNewsletter, type proto, toNumber } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import type { ReceivedFile } from '../../../src/domain/file-download.ts'
import { asStored, decrypted } from '../../../src/media/decrypt.ts'
import { createFileHost } from '../../../src/media/file-host.ts'
import type { SendContext } from '../send/contract.ts'
import type { Destination } from '../send/destination.ts'
import { upload } from './upload.ts'

const KINDS = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
} as const satisfies Partial<Record<keyof proto.IMessage, string>>

interface Sealed {
  directPath?: string | null
  mediaKey?: Uint8Array | null
  fileSha256?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  fileLength?: number | Long | null
  mimetype?: string | null
}
type Long = Parameters<typeof toNumber>[0]

const fieldOf = (content: proto.IMessage) => (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((field) => content[field])

export const hasMedium = (content: proto.IMessage): boolean => fieldOf(content) !== undefined

export interface Repost {
  from: string | null | undefined
  to: Pick<Destination, 'kind'>
}

/**
 * Returns the content with its media uploaded again; content without media is returned unchanged. Rejects with
 * `media_download_failed` if the network no longer has the media.
 */
export async function reposted(context: SendContext, content: proto.IMessage, { from, to }: Repost): Promise<proto.IMessage> {
  const field = fieldOf(content)
  if (!field) return content
  const { tempDir } = context.media
  await mkdir(tempDir, { recursive: true })
  const dir = await mkdtemp(join(tempDir, 'forward-'))
  try {
    const path = join(dir, 'original')
    const isOfChannel = Boolean(from && isJidNewsletter(from))
    await fetchOpened(path, context, { kind: KINDS[field], isOfChannel }, content[field] as Sealed)
    const uploaded = await upload(context, to, KINDS[field], { path, dir })
    const { mediaKey: _, fileEncSha256: __, mediaKeyTimestamp: ___, ...open } = content[field] as proto.Message.IImageMessage
    return { ...content, [field]: { ...open, ...uploaded } }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

type Source = Pick<ReceivedFile, 'kind' | 'isOfChannel'>

async function fetchOpened(path: string, { media }: SendContext, source: Source, medium: Sealed) {
  const mediaKey = medium.mediaKey?.length ? medium.mediaKey : null
  if (!medium.directPath || (mediaKey === null && !medium.fileSha256?.length)) throw new Failure('media_download_failed')
  const file: ReceivedFile = {
    ...source,
    path: medium.directPath,
    mediaKey,
    fileSha256: medium.fileSha256 ?? null,
    fileEncSha256: medium.fileEncSha256 ?? null,
    fileLength: medium.fileLength === null || medium.fileLength === undefined ? null : toNumber(medium.fileLength),
    mimeType: medium.mimetype ?? '',
    fileName: null,
    key: { id: '', remoteJid: '', fromMe: false },
    at: 0,
  }
  try {
    const signal = AbortSignal.timeout(media.downloadMs)
    const host = createFileHost({ of: () => media.files() })
    // The sender of the message chose the path, so it must not lead to another host.
    const answer = await host.get({ file, path: file.path, proxyUrl: null }, signal)
    if ('status' in answer) throw new Error(`the network's file host answered ${answer.status}`)
    await pipeline(decrypted(asStored(file, answer.length), answer.body), createWriteStream(path))
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('media_download_failed', { message: 'The media of the message could not be downloaded again.', cause })
  }
}
