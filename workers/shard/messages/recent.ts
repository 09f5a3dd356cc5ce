/**
 * Keeps the last messages of an instance in memory, for replies, edits, read receipts and retries. They are kept as
 * protobuf to save memory, and are lost when the process ends.
 * Senders choose ids, so a message is identified by its id and its author. A message that reuses the id of another one
 * does not replace it. If there are too many messages, the oldest ones of the largest chats are evicted.
 */
import { proto, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import { fairLevel } from '../../../src/domain/fair-share.ts'
import { ownedBytes } from '../../../src/lib/owned-bytes.ts'
import { saysSomething } from '../translate/inbound/content.ts'
import { chatNamesOf, namesOf } from '../translate/inbound/referenced.ts'
import { FACETS } from './facets.ts'

const { oldAfterMs, rows, bytes: most, rowsOfThread } = FACETS.content
/** Number of messages that every instance may keep, even if the whole thread has too many. */
const MIN_OF_INSTANCE = 250
/** Share of the limits that a chat keeps of its messages that are not old, unless this leaves too many messages. */
const FLOOR = 1 / 200
/**
 * Share of the limits that is evicted at once. If only one message were evicted, every new message would have to scan
 * all chats.
 */
const SLACK = 1 / 32
/**
 * Size in bytes up to which a message is kept in the JavaScript heap. Longer messages are kept outside of it, because
 * the heap of a thread is limited.
 */
const SHORT = 1_024
/** Maximum number of messages of different authors with the same id. Honest clients choose different ids. */
const MAX_WRITERS = 4

/** Totals of a thread: the messages that all of its instances have in memory, and the number of these instances. */
export interface RecentTotal {
  messages: number
  instances: number
}

export interface Recent {
  add(message: WAMessage): void
  /** Returns the first message that has this id and for whose key `fits` returns true. */
  get(id: string, fits: (key: WAMessageKey) => boolean): WAMessage | undefined
  /** Returns the message with this id, if it is in the chat of `about`, the key of the message that refers to it. */
  spokenOf(id: string, about: WAMessageKey): WAMessage | undefined
  /**
   * Returns the latest messages of others in a chat, at most `max`, newest first. Messages that only change another one
   * are excluded.
   */
  received(names: readonly (string | null)[], max: number): WAMessageKey[]
  /**
   * Returns the latest messages for whose key `fits` returns true, at most `max`, newest first. Messages that only
   * change another one are excluded.
   */
  newest(fits: (key: WAMessageKey) => boolean, max: number): WAMessage[]
  /**
   * Returns the key of a channel post, by the number that the network gave it. Later stanzas about the post may contain
   * only this number.
   */
  post(newsletter: string, serverId: string): WAMessageKey | undefined
  /** Removes all messages. Called after the device was unlinked. */
  clear(): void
  /** Removes all messages when the instance stops, so that they no longer count in the limit of the shard thread. */
  end(): void
  readonly size: number
  readonly bytes: number
}

/**
 * An encoded message. A short one is a text with one character per byte, because a separate buffer takes 400 bytes
 * more.
 */
type Packed = string | Uint8Array

function pack(bytes: Uint8Array): Packed {
  if (bytes.length > SHORT) return ownedBytes(bytes)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

const unpack = (packed: Packed) =>
  proto.WebMessageInfo.decode(typeof packed === 'string' ? Buffer.from(packed, 'latin1') : packed)

interface Entry {
  packed: Packed
  key: WAMessageKey
  chat: string
  /** Time in ms of a monotonic clock. */
  at: number
}

interface Chat {
  jid: string
  entries: Set<Entry>
  bytes: number
}

export interface RecentOptions {
  maxMessages?: number
  maxBytes?: number
  now?(): number
  total?: RecentTotal
  maxOfThread?: number
}

export function createRecent({
  maxMessages = rows,
  maxBytes = most,
  now = () => performance.now(),
  total = { messages: 0, instances: 0 },
  maxOfThread = rowsOfThread,
}: RecentOptions = {}): Recent {
  total.instances++
  let isEnded = false
  const held = createHeld(total)
  const { messages, all, chats, insert, remove, clear } = held

  function mostNow(): number {
    if (total.messages <= maxOfThread) return maxMessages
    return Math.min(maxMessages, Math.max(MIN_OF_INSTANCE, Math.floor(maxOfThread / total.instances)))
  }

  /** Share of the limits to which an eviction reduces the messages. */
  const enough = maxMessages * SLACK >= 1 ? 1 - SLACK : 1

  function makeRoom() {
    const most = mostNow()
    const fits = (share: number) => all.size <= most * share && held.bytes <= maxBytes * share
    if (fits(1)) return
    const isEnough = () => fits(enough)
    for (const entry of all) {
      if (isEnough() || now() - entry.at < oldAfterMs) break
      remove(entry)
    }
    levelOff((chat) => chat.entries.size, most, all.size)
    levelOff((chat) => chat.bytes, maxBytes, held.bytes)
    for (const entry of all) {
      if (isEnough()) break
      remove(entry)
    }

    function levelOff(sizeOf: (chat: Chat) => number, max: number, total: number) {
      if (isEnough() || total <= max * enough) return
      const level = Math.max(fairLevel([...chats.values()].map(sizeOf), max * enough), max * FLOOR)
      for (const chat of [...chats.values()])
        for (const entry of chat.entries) {
          // The newest message of a chat stays, however large it is.
          if (sizeOf(chat) <= level || chat.entries.size === 1) break
          remove(entry)
        }
    }
  }

  function get(id: string, fits: (key: WAMessageKey) => boolean): WAMessage | undefined {
    const entry = messages.get(id)?.find(({ key }) => fits(key))
    // The key is taken from memory, because the protobuf does not contain its alternative jids and its addressing mode.
    return entry && ({ ...unpack(entry.packed), key: entry.key } as WAMessage)
  }

  return {
    add(message) {
      const { key } = message
      if (!key.id || isEnded) return
      const packed = pack(proto.WebMessageInfo.encode(message).finish())
      const before = messages.get(key.id) ?? []
      const same = before.find((entry) => isSameWriter(entry.key, key))
      if (!same && before.length >= MAX_WRITERS) return
      const entry: Entry = { packed, key, chat: chatNamesOf(key)[0] ?? '', at: same?.at ?? now() }
      if (same) remove(same)
      insert(entry)
      makeRoom()
    },
    get,
    spokenOf(id, about) {
      const names = chatNamesOf(about)
      return get(id, (key) => chatNamesOf(key).some((name) => names.includes(name)))
    },
    received(names, max) {
      if (max <= 0) return []
      const found = names.flatMap((name) => [...(name === null ? [] : (chats.get(name)?.entries ?? []))])
      const theirs = found.filter(({ key }) => !key.fromMe).sort((one, other) => other.at - one.at)
      const isNews = ({ packed }: Entry) => saysSomething(unpack(packed).message ?? {})
      const keys: WAMessageKey[] = []
      for (const entry of theirs) {
        if (keys.length === max) break
        if (isNews(entry)) keys.push(entry.key)
      }
      return keys
    },
    newest(fits, max) {
      const found: WAMessage[] = []
      for (const { key, packed } of [...all].sort((one, other) => other.at - one.at)) {
        if (found.length === max) break
        if (!fits(key)) continue
        const message = { ...unpack(packed), key } as WAMessage
        if (saysSomething(message.message ?? {})) found.push(message)
      }
      return found
    },
    post(newsletter, serverId) {
      for (const { key } of chats.get(newsletter)?.entries ?? []) if (key.server_id === serverId) return key
      return undefined
    },
    clear,
    end() {
      if (isEnded) return
      isEnded = true
      clear()
      total.instances--
    },
    get size() {
      return all.size
    },
    get bytes() {
      return held.bytes
    },
  }
}

/** The messages in memory, and their size. */
function createHeld(total: RecentTotal) {
  /** Messages by id, in the order of arrival. */
  const messages = new Map<string, Entry[]>()
  const all = new Set<Entry>()
  const chats = new Map<string, Chat>()
  let bytes = 0

  return {
    messages,
    all,
    chats,
    get bytes() {
      return bytes
    },
    insert(entry: Entry) {
      const chat = chats.get(entry.chat) ?? { jid: entry.chat, entries: new Set(), bytes: 0 }
      chats.set(chat.jid, chat)
      // All messages of a chat use the same string object for its jid, to save memory.
      entry.chat = chat.jid
      chat.entries.add(entry)
      chat.bytes += entry.packed.length
      all.add(entry)
      total.messages++
      bytes += entry.packed.length
      const id = entry.key.id ?? ''
      const others = messages.get(id)
      // A literal array is used for the first entry, because an array from a spread has room for 17. Nearly every id
      // has only one message.
      messages.set(id, others === undefined ? [entry] : [...others, entry])
    },
    remove(entry: Entry) {
      const chat = chats.get(entry.chat)!
      chat.entries.delete(entry)
      chat.bytes -= entry.packed.length
      if (chat.entries.size === 0) chats.delete(entry.chat)
      all.delete(entry)
      total.messages--
      bytes -= entry.packed.length
      const id = entry.key.id ?? ''
      const others = messages.get(id)?.filter((each) => each !== entry) ?? []
      if (others.length > 0) messages.set(id, others)
      else messages.delete(id)
    },
    clear() {
      total.messages -= all.size
      messages.clear()
      all.clear()
      chats.clear()
      bytes = 0
    },
  }
}

function isSameWriter(one: WAMessageKey, other: WAMessageKey): boolean {
  if (one.fromMe || other.fromMe) return Boolean(one.fromMe) === Boolean(other.fromMe)
  const names = namesOf(one)
  return namesOf(other).some((name) => names.includes(name))
}
