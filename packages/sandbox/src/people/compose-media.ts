import * as v from 'valibot'
import { type ComposeContext, type Form, parsed } from './compose-form.ts'
import type { Composed } from './composed.ts'
import { sealMedia, sha256 } from './media.ts'

const Content = v.pipe(
  v.string(),
  v.regex(/^(?:data:[^,]*;base64,)?[A-Za-z0-9+/_\-\s]+={0,2}\s*$/, 'must be base64 or a base64 data URL'),
)

/** Fields of a media message in addition to its content: `{ image: base64, mime, caption }`. */
const Beside = v.object({
  mime: v.optional(v.string()),
  caption: v.optional(v.string()),
  file_name: v.optional(v.string()),
  ptt: v.optional(v.boolean(), false),
  view_once: v.optional(v.boolean(), false),
  gif: v.optional(v.boolean(), false),
  seconds: v.optional(v.pipe(v.number(), v.integer())),
  width: v.optional(v.pipe(v.number(), v.integer())),
  height: v.optional(v.pipe(v.number(), v.integer())),
})

type Beside = v.InferOutput<typeof Beside>
type Kind = 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'ptv'

const USUAL_MIME: Record<Kind, string> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
  ptv: 'video/mp4',
}

const mediaForm = (kind: Kind): Form => ({
  siblings: Object.keys(Beside.entries),
  async make(input, context, siblings) {
    const content = parsed(Content, input, `message.${kind}`)
    const beside = parsed(Beside, siblings, 'message')
    const uploaded = await upload(content, kind, beside, context)
    return composed(kind, uploaded, beside)
  },
})

export const MEDIA_FORMS: Record<string, Form> = {
  image: mediaForm('image'),
  video: mediaForm('video'),
  audio: mediaForm('audio'),
  document: mediaForm('document'),
  sticker: mediaForm('sticker'),
  ptv: mediaForm('ptv'),
}

type Uploaded = Awaited<ReturnType<typeof upload>>

async function upload(content: string, kind: Kind, beside: Beside, context: ComposeContext) {
  const { declared, bytes } = splitDataUrl(content)
  const mimetype = beside.mime ?? (declared || USUAL_MIME[kind])
  if (context.chat.endsWith('@newsletter')) return uploadUnencrypted(bytes, kind, mimetype, context)
  const { blob, ...sealed } = sealMedia(bytes, kind)
  const { url, directPath } = await context.upload(blob, kind)
  const mediaKeyTimestamp = Math.floor(context.now() / 1000)
  return { ...sealed, url, directPath, mediaKeyTimestamp, mimetype }
}

async function uploadUnencrypted(bytes: Buffer, kind: Kind, mimetype: string, context: ComposeContext) {
  const { url, directPath } = await context.upload(bytes, kind)
  return { url, directPath, fileSha256: sha256(bytes), fileLength: bytes.length, mimetype }
}

function splitDataUrl(content: string): { declared: string; bytes: Buffer } {
  const comma = content.indexOf(',')
  const declared = content.slice('data:'.length, comma + 1).replace(/(;base64)?,$/, '')
  return { declared: comma < 0 ? '' : declared, bytes: Buffer.from(content.slice(comma + 1), 'base64') }
}

function composed(kind: Kind, uploaded: Uploaded, beside: Beside): Composed {
  const caption = beside.caption === undefined ? {} : { caption: beside.caption }
  const size = { width: beside.width ?? null, height: beside.height ?? null }
  const length = beside.seconds === undefined ? {} : { seconds: beside.seconds }
  const once = beside.view_once ? { viewOnce: true } : {}
  switch (kind) {
    case 'image':
      return viewedOnce(beside, { message: { imageMessage: { ...uploaded, ...caption, ...size, ...once } }, ...media('image') })
    case 'video': {
      const videoMessage = { ...uploaded, ...caption, ...size, ...length, ...once, gifPlayback: beside.gif }
      return viewedOnce(beside, { message: { videoMessage }, ...media(beside.gif ? 'gif' : 'video') })
    }
    case 'ptv':
      return { message: { ptvMessage: { ...uploaded, ...caption, ...size, ...length } }, ...media('ptv') }
    case 'audio': {
      const audioMessage = { ...uploaded, ...length, ...once, ptt: beside.ptt }
      return viewedOnce(beside, { message: { audioMessage }, ...media(beside.ptt ? 'ptt' : 'audio') })
    }
    case 'sticker':
      return { message: { stickerMessage: { ...uploaded, ...size, isAnimated: false } }, ...media('sticker') }
    case 'document':
      return documentMessage(uploaded, beside, caption)
  }
}

/** Builds a message with a document. If it has a caption, it gets an additional wrapper. */
function documentMessage(uploaded: Uploaded, beside: Beside, caption: { caption?: string }): Composed {
  const fileName = beside.file_name ?? 'file'
  const document = { documentMessage: { ...uploaded, ...caption, fileName, title: fileName } }
  const message = beside.caption === undefined ? document : { documentWithCaptionMessage: { message: document } }
  return { message, ...media('document') }
}

function viewedOnce(beside: Beside, plain: Composed): Composed {
  return beside.view_once ? { ...plain, message: { viewOnceMessageV2: { message: plain.message } } } : plain
}

const media = (mediaType: string) => ({ type: 'media' as const, mediaType })
