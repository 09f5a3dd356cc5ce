import type { proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import { MEDIA_LIMIT, type MediaInput } from '../../../../src/domain/media.ts'
import { withMedia } from '../../media/arrival.ts'
import { make } from '../../media/compose.ts'
import type { SendContext } from '../contract.ts'
import type { Destination } from '../destination.ts'

export interface CardPicture {
  jpegThumbnail?: Buffer
  /** A larger version of the same picture on the media hosts, for medium and large cards. */
  highQualityThumbnail?: proto.Message.IImageMessage
}

export type CardSize = 'small' | 'medium' | 'large'

export async function cardPicture(
  context: SendContext,
  to: Pick<Destination, 'kind'>,
  image: MediaInput,
  size: CardSize,
): Promise<CardPicture> {
  try {
    return size === 'small' ? await thumbnail(context, image) : await uploaded(context, to, image)
  } catch (error) {
    // The item is sent again after the reconnection, and then with its picture.
    if (error instanceof Failure && error.code === 'instance_not_connected') throw error
    context.log.info({ err: error }, 'a link preview is sent without its picture, which could not be prepared')
    return {}
  }
}

const embedded = (jpeg: Uint8Array | null): CardPicture => (jpeg ? { jpegThumbnail: Buffer.from(jpeg) } : {})

function thumbnail(context: SendContext, image: MediaInput): Promise<CardPicture> {
  return withMedia(context, image, MEDIA_LIMIT, async ({ path, dir }) => {
    const job = { purpose: 'card', path, dir, limit: MEDIA_LIMIT, author: null, waveform: false } as const
    return embedded((await context.media.prepare(job)).thumbnail)
  })
}

async function uploaded(context: SendContext, to: Pick<Destination, 'kind'>, image: MediaInput): Promise<CardPicture> {
  const made = await make(context, to, image, 'card', 'thumbnail-link')
  const { width, height, thumbnail: jpeg } = made.prepared
  return { ...embedded(jpeg), highQualityThumbnail: { ...made.uploaded, width, height } }
}
