import type { proto } from '@whiskeysockets/baileys'
import { MEDIA_LIMIT, type MediaInput } from '../../../src/domain/media.ts'
import type { PreparedMedia, Purpose } from '../../../src/domain/media-job.ts'
import type { SendContext } from '../send/contract.ts'
import type { Destination } from '../send/destination.ts'
import { withMedia } from './arrival.ts'
import { type Uploaded, type UploadType, upload, wishOf } from './upload.ts'

export interface Made {
  uploaded: Uploaded
  prepared: PreparedMedia
}

interface Wishes {
  author?: string | undefined
  waveform?: boolean
}

/** Destination of the media. Its kind matters, because media for channels is not encrypted. */
type To = Pick<Destination, 'kind'>

export function make(
  context: SendContext,
  to: To,
  input: MediaInput,
  purpose: Purpose,
  type: UploadType,
  { author, waveform = false }: Wishes = {},
): Promise<Made> {
  return context.media.once(wishOf(to, type, [input, purpose, author, waveform]), () =>
    withMedia(context, input, MEDIA_LIMIT, async ({ path, dir }) => {
      const job = { purpose, path, dir, limit: MEDIA_LIMIT, author: author ?? null, waveform }
      const prepared = await context.media.prepare(job)
      return { prepared, uploaded: await upload(context, to, type, { path: prepared.path, dir }) }
    }),
  )
}

const sized = ({ uploaded, prepared: { mime, width, height } }: Made) => ({
  ...uploaded,
  mimetype: mime,
  ...(width && height ? { width, height } : {}),
})
const pictured = ({ prepared: { thumbnail } }: Made) => (thumbnail ? { jpegThumbnail: thumbnail } : {})
const timed = ({ prepared: { seconds } }: Made) => (seconds === null ? {} : { seconds: Math.max(1, Math.round(seconds)) })

export async function imageMessage(context: SendContext, to: To, input: MediaInput): Promise<proto.Message.IImageMessage> {
  const made = await make(context, to, input, 'image', 'image')
  return { ...sized(made), ...pictured(made) }
}

export async function videoMessage(
  context: SendContext,
  to: To,
  input: MediaInput,
  purpose: 'video' | 'gif' | 'ptv' = 'video',
): Promise<proto.Message.IVideoMessage> {
  const made = await make(context, to, input, purpose, 'video')
  return { ...sized(made), ...pictured(made), ...timed(made), ...(purpose === 'gif' ? { gifPlayback: true } : {}) }
}

export interface SoundWishes {
  ptt: boolean
  waveform: boolean
}

export async function audioMessage(
  context: SendContext,
  to: To,
  input: MediaInput,
  { ptt, waveform }: SoundWishes,
): Promise<proto.Message.IAudioMessage> {
  const made = await make(context, to, input, ptt ? 'voice' : 'audio', 'audio', { waveform: ptt && waveform })
  const picture = made.prepared.waveform
  return { ...sized(made), ...timed(made), ptt, ...(picture ? { waveform: picture } : {}) }
}

export async function stickerMessage(
  context: SendContext,
  to: To,
  input: MediaInput,
  author?: string,
): Promise<proto.Message.IStickerMessage> {
  const made = await make(context, to, input, 'sticker', 'sticker', { author })
  return { ...sized(made), isAnimated: made.prepared.isAnimated, stickerSentTs: context.now() }
}
