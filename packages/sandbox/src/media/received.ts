import { createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { InboxItem, NetworkControl } from '../control/network-control.ts'
import { mediaSource } from '../people/describe.ts'
import { innerMedia } from '../people/inner-media.ts'
import { openMedia } from '../people/media.ts'
import type { MediaHost } from './media-host.ts'

/**
 * Returns a control API whose inboxes contain the media as the contact downloads and decrypts them, and not as the
 * sender describes them. A reset also removes the media.
 */
export function withMedia<C extends NetworkControl>(control: C, media: MediaHost): C {
  return {
    ...control,
    async inbox(phone, after, waitMs) {
      const { items, receipts } = await control.inbox(phone, after, waitMs)
      return { items: await Promise.all(items.map((item) => received(item, media))), receipts }
    },
    async reset() {
      await control.reset()
      await media.clear()
    },
  }
}

async function received(item: InboxItem, host: MediaHost): Promise<InboxItem> {
  const message = proto.Message.fromObject(item.proto as Record<string, unknown>)
  const inner = await Promise.all(innerMedia(message).map((part) => downloaded(part.message, part.media, host)))
  return {
    ...item,
    media: item.media && (await downloaded(message, item.media, host)),
    ...(inner.length > 0 ? { inner_media: inner } : {}),
  }
}

type Media = NonNullable<InboxItem['media']>

async function downloaded(message: proto.IMessage, media: Media, host: MediaHost): Promise<Media> {
  const broken = (error: string): Media => ({ ...media, bytes: 0, error })
  const source = mediaSource(message)
  if (!source) return broken('the message has no direct path or no key')
  const blob = await host.get(source.directPath)
  if (!blob) return broken(`nothing is at ${source.directPath}`)
  try {
    const plain = openMedia(blob, source.kind, source.mediaKey)
    const sha256 = createHash('sha256').update(plain).digest('hex')
    if (sha256 !== media.sha256) return broken(`its hash is ${sha256}, the message says ${media.sha256}`)
    return { ...media, bytes: plain.length, sha256 }
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error))
  }
}
