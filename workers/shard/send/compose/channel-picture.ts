/** The small picture of a channel inside an invitation to run it. It never fails the send: without it the invitation has its texts alone. */
import { SECOND } from '../../../../src/domain/clock.ts'
import { MB } from '../../../../src/domain/media.ts'
import { PICTURE_HOST } from '../../chats/pictures.ts'
import { object, textOf } from '../../wire/json.ts'
import type { SendContext } from '../contract.ts'
import type { Destination } from '../destination.ts'
import { type CardPicture, cardPicture } from './card-picture.ts'

/** An extra may not hold the queue for longer. */
const TIMEOUT = 5 * SECOND
/** Previews have some 10 KB, whole pictures some 200. */
const MAX_BYTES = 2 * MB

export async function channelPicture(context: SendContext, to: Destination, description: unknown): Promise<CardPicture> {
  const { preview, picture } = object(object(description).thread_metadata)
  const path = pathOf(preview) ?? pathOf(picture)
  if (path === null) return {}
  const bytes = await fetched(context, path).catch((error: unknown) => {
    context.log.info({ err: error }, "an invitation is sent without the channel's picture, which could not be fetched")
    return null
  })
  return bytes === null ? {} : cardPicture(context, to, { kind: 'inline', bytes, mime: null }, 'small')
}

/** On the network's own host only, whatever host a description names. */
function pathOf(picture: unknown): string | null {
  const path = textOf(object(picture).direct_path)
  return path?.startsWith('/') ? path : null
}

/** The route of the account: through its proxy when it has one. */
async function fetched({ media }: SendContext, path: string): Promise<Uint8Array> {
  const response = await fetch(`https://${PICTURE_HOST}${path}`, {
    ...media.fetchOptions(),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!response.ok || !response.body) throw new Error(`the network's picture host answered ${response.status}`)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > MAX_BYTES) throw new Error('the picture of the channel is too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}
