/** Translates media: the data about the file, and an encrypted link to it. Nothing is downloaded. */
import { proto } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { ReceivedExtras } from '../../../../src/features/received/extras.ts'
import { count, cut, cutOrNull, idOrEmpty } from '../../wire/bounds.ts'
import type { Unwrapped } from './content.ts'
import { block, type Family, type Scene } from './family.ts'

type FileMessage = Pick<
  proto.Message.IDocumentMessage,
  'url' | 'directPath' | 'mediaKey' | 'fileSha256' | 'fileEncSha256' | 'fileLength' | 'mimetype' | 'fileName'
>

const MEDIA_ORIGIN = 'https://mmg.whatsapp.net'

const USUAL_MIME: Record<ReceivedFile['kind'], string> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
}

function pathOf({ directPath, url }: FileMessage): string | null {
  if (directPath?.startsWith('/')) return directPath
  if (!url?.startsWith(`${MEDIA_ORIGIN}/`) || !URL.canParse(url)) return null
  const { pathname, search } = new URL(url)
  return pathname + search
}

const bytesOf = (bytes: Uint8Array | null | undefined) => (bytes?.length ? bytes : null)

/** An encrypted file needs a key. A file of a channel is not encrypted, and needs only a hash. */
const isReadable = (file: FileMessage, { kind }: Scene) =>
  Boolean(file.mediaKey?.length || (kind === 'newsletter' && file.fileSha256?.length))

function sealedLink(kind: ReceivedFile['kind'], file: FileMessage, scene: Scene): string | null {
  const { context, key, at } = scene
  const path = pathOf(file)
  if (!isReadable(file, scene) || path === null || !key.id || !key.remoteJid) return null
  return context.mediaUrl({
    kind,
    path,
    mediaKey: bytesOf(file.mediaKey),
    fileSha256: bytesOf(file.fileSha256),
    fileEncSha256: bytesOf(file.fileEncSha256),
    fileLength: count(file.fileLength),
    mimeType: cut(file.mimetype || USUAL_MIME[kind], 128),
    fileName: cutOrNull(file.fileName, 255),
    key: {
      id: key.id,
      remoteJid: key.remoteJid,
      fromMe: key.fromMe === true,
      ...(key.participant ? { participant: key.participant } : {}),
    },
    at,
  })
}

export const fileUrl = (kind: ReceivedFile['kind'], file: FileMessage | null | undefined, scene: Scene, viewOnce: boolean) =>
  file && !viewOnce ? sealedLink(kind, file, scene) : null

function mediaFields(kind: ReceivedFile['kind'], file: FileMessage, { viewOnce }: Unwrapped, scene: Scene) {
  const url = viewOnce ? null : sealedLink(kind, file, scene)
  return {
    url,
    mime_type: cut(file.mimetype || USUAL_MIME[kind], 128),
    file_size: count(file.fileLength),
    download_error: url === null ? problem(file, viewOnce, scene) : null,
  }
}

function problem(file: FileMessage, viewOnce: boolean, scene: Scene): string {
  if (viewOnce) return 'view once media is not available on linked devices'
  if (!isReadable(file, scene)) return 'the message has no key for its file'
  if (pathOf(file) === null) return 'the message does not say where its file lies'
  return 'no link can be made for this file'
}

const size = ({ width, height }: { width?: number | null; height?: number | null }) => ({
  width: count(width) || null,
  height: count(height) || null,
})

export const image: Family = (content, scene) => {
  const file = content.message.imageMessage
  if (!file) return null
  const { width, height } = size(file)
  return block('image', { ...mediaFields('image', file, content, scene), caption: caption(file), width, height }, album(content))
}

export const video: Family = (content, scene) => {
  const { ptvMessage, videoMessage } = content.message
  const file = ptvMessage ?? videoMessage
  if (!file) return null
  return block(
    'video',
    {
      ...mediaFields('video', file, content, scene),
      caption: caption(file),
      seconds: count(file.seconds),
      ...size(file),
      gif: file.gifPlayback === true,
      ptv: file === ptvMessage,
    },
    album(content),
  )
}

export const audio: Family = (content, scene) => {
  const file = content.message.audioMessage
  if (!file) return null
  return block('audio', { ...mediaFields('audio', file, content, scene), ptt: file.ptt === true, seconds: count(file.seconds) })
}

export const document: Family = (content, scene) => {
  const file = content.message.documentMessage
  if (!file) return null
  return block('document', {
    ...mediaFields('document', file, content, scene),
    file_name: cutOrNull(file.fileName, 255),
    title: cutOrNull(file.title, 256),
    caption: caption(file),
    page_count: count(file.pageCount) || null,
  })
}

export const sticker: Family = (content, scene) => {
  const file = content.message.stickerMessage
  if (!file) return null
  const animated = file.isAnimated === true || file.isLottie === true
  return block('sticker', { ...mediaFields('sticker', file, content, scene), animated, ...size(file) })
}

const caption = (file: { caption?: string | null }) => cutOrNull(file.caption, 65_536)

const { MEDIA_ALBUM } = proto.MessageAssociation.AssociationType

/**
 * The id of an album is the id of its first message. In polls and repeated uploads, `messageAssociation` contains ids
 * of other messages.
 */
function album({ aside: { messageAssociation } }: Unwrapped): Pick<ReceivedExtras, 'album_message_id'> {
  const id = messageAssociation?.associationType === MEDIA_ALBUM && messageAssociation.parentMessageKey?.id
  return id ? { album_message_id: idOrEmpty(id) } : {}
}
