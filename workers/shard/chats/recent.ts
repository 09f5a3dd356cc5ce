/**
 * The last messages of an instance, for reply, edit, read and retry: bounded by number and by bytes, kept as protobuf so that a message
 * costs its bytes and not its object graph. Gone with the process: what must survive it is in `sent.ts` and `secrets.ts`.
 *
 * Ids are chosen by whoever writes: somebody who uses the id of another message must not take its place, or nobody could edit, delete or
 * answer that one any more. A message is therefore known by its id and by who wrote it.
 */
import { proto, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import { chatNamesOf, namesOf } from '../translate/inbound/referenced.ts'

const MAX_MESSAGES = 4_000
const MAX_BYTES = 8 * 1_024 * 1_024
/** Writers of one id that are remembered; honest clients never share one. */
const MAX_WRITERS = 4

export interface Recent {
  add(message: WAMessage): void
  /** The first that came under this id and fits. */
  get(id: string, fits: (key: WAMessageKey) => boolean): WAMessage | undefined
  /** The one that somebody in a chat speaks about; `about`: the key of what they say. One of another chat is not it. */
  spokenOf(id: string, about: WAMessageKey): WAMessage | undefined
  /** Of a post of a channel by the number the network gave it: what happens to the post names no other. */
  post(newsletter: string, serverId: string): WAMessageKey | undefined
  /** The device is gone, and what it heard. */
  clear(): void
  readonly size: number
}

interface Entry {
  bytes: Uint8Array
  key: WAMessageKey
}

export function createRecent(maxMessages = MAX_MESSAGES, maxBytes = MAX_BYTES): Recent {
  /** By id, the longest unchanged first. */
  const messages = new Map<string, Entry[]>()
  let size = 0
  let bytes = 0

  function count(entries: readonly Entry[], sign: 1 | -1) {
    size += sign * entries.length
    for (const entry of entries) bytes += sign * entry.bytes.byteLength
  }

  function replace(id: string, before: readonly Entry[], next: Entry[]) {
    count(before, -1)
    messages.delete(id)
    if (next.length > 0) messages.set(id, next)
    count(next, 1)
  }

  function get(id: string, fits: (key: WAMessageKey) => boolean): WAMessage | undefined {
    const entry = messages.get(id)?.find(({ key }) => fits(key))
    // The key is kept beside: its alternative jids and addressing are not part of the protobuf.
    return entry && ({ ...proto.WebMessageInfo.decode(entry.bytes), key: entry.key } as WAMessage)
  }

  return {
    add(message) {
      const { key } = message
      if (!key.id) return
      const encoded = proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(message)).finish()
      const before = messages.get(key.id) ?? []
      const others = before.filter((entry) => !isSameWriter(entry.key, key))
      if (others.length >= MAX_WRITERS) return
      replace(key.id, before, [...others, { bytes: encoded, key }])
      for (const [oldest, entries] of messages) {
        if (size <= maxMessages && bytes <= maxBytes) break
        replace(oldest, entries, [])
      }
    },
    get,
    spokenOf(id, about) {
      const names = chatNamesOf(about)
      return get(id, (key) => chatNamesOf(key).some((name) => names.includes(name)))
    },
    post(newsletter, serverId) {
      for (const entries of messages.values()) {
        const entry = entries.find(({ key }) => key.server_id === serverId && key.remoteJid === newsletter)
        if (entry) return entry.key
      }
      return undefined
    },
    clear() {
      messages.clear()
      size = 0
      bytes = 0
    },
    get size() {
      return size
    },
  }
}

function isSameWriter(one: WAMessageKey, other: WAMessageKey): boolean {
  if (one.fromMe || other.fromMe) return Boolean(one.fromMe) === Boolean(other.fromMe)
  const names = namesOf(one)
  return namesOf(other).some((name) => names.includes(name))
}
