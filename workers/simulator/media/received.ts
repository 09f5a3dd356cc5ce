import { createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { InboxItem, NetworkControl } from '../control/network-control.ts'
import { mediaSource } from '../people/describe.ts'
import { openMedia } from '../people/media.ts'
import type { MediaHost } from './host.ts'

/**
 * The network's control with the media host behind it: what an inbox says of media is what the contact really gets when it downloads
 * and opens it, not what the sender claims; and a reset drops the media too.
 */
export function withMedia(control: NetworkControl, media: MediaHost): NetworkControl {
  return {
    ...control,
    async inbox(phone, after, waitMs) {
      const { items } = await control.inbox(phone, after, waitMs)
      return { items: await Promise.all(items.map((item) => received(item, media))) }
    },
    async reset() {
      await control.reset()
      await media.clear()
    },
  }
}

async function received(item: InboxItem, media: MediaHost): Promise<InboxItem> {
  if (!item.media) return item
  const source = mediaSource(proto.Message.fromObject(item.proto as Record<string, unknown>))
  if (!source) return broken(item, 'the message has no direct path or no key')
  const blob = await media.get(source.directPath)
  if (!blob) return broken(item, `nothing is at ${source.directPath}`)
  try {
    const plain = openMedia(blob, source.kind, source.mediaKey)
    const sha256 = createHash('sha256').update(plain).digest('hex')
    if (sha256 !== item.media.sha256) return broken(item, `its hash is ${sha256}, the message says ${item.media.sha256}`)
    return { ...item, media: { ...item.media, bytes: plain.length, sha256 } }
  } catch (error) {
    return broken(item, error instanceof Error ? error.message : String(error))
  }
}

/** No bytes reached the contact; the reason is told beside. */
function broken(item: InboxItem, error: string): InboxItem {
  return { ...item, media: { ...item.media!, bytes: 0, error } }
}
