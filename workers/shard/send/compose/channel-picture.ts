/**
 * Fetches the small picture of a channel, for an invitation to administer the channel. If this fails, the invitation
 * has only texts.
 */
import { SECOND } from '../../../../src/domain/clock.ts'
import { MB } from '../../../../src/domain/media.ts'
import { PICTURE_HOST } from '../../chats/pictures.ts'
import { object, textOf } from '../../wire/json.ts'
import type { SendContext } from '../contract.ts'
import type { Destination } from '../destination.ts'
import { type CardPicture, cardPicture } from './card-picture.ts'

/** Time limit in ms. It is short because the picture is optional and the queue waits for it. */
const TIMEOUT = 5 * SECOND
/** Largest picture that is fetched. A preview has about 10 KB, a full picture about 200 KB. */
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

/** The host in the channel's metadata is ignored: only the network's own host is used. */
function pathOf(picture: unknown): string | null {
  const path = textOf(object(picture).direct_path)
  return path?.startsWith('/') ? path : null
}

/** Fetches the picture. The request goes through the proxy of the account, if it has one. */
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
