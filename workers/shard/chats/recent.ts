/**
 * The last messages of an instance, for reply, edit, read and retry: bounded by number and by bytes, kept as protobuf so that a message
 * costs its bytes and not its object graph. Gone with the process: what must survive it is in `sent.ts` and `secrets.ts`.
 *
 * Ids are chosen by senders: a message that reuses the id of another one must not take its place, or that one could no longer be edited, deleted or
 * answered. A message is therefore known by its id and its author.
 *
 * Flooding a chat pushes out that chat's own messages: old ones go first, then the oldest of the chats that have the most (`fair-share.ts`).
 */
import { proto, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import { DAY } from '../../../src/domain/clock.ts'
import { fairLevel } from '../../../src/domain/fair-share.ts'
import { ownedBytes } from '../../../src/lib/owned-bytes.ts'
import { saysSomething } from '../translate/inbound/content.ts'
import { chatNamesOf, namesOf } from '../translate/inbound/referenced.ts'

const MAX_MESSAGES = 4_000
const MAX_BYTES = 8 * 1_024 * 1_024
/** Past this age a message is no longer edited and hardly ever answered: it goes before any newer one, even of a chat that has many. */
const OLD = DAY
/**
 * Messages of all instances of a thread together, some 1.6 kB of memory each. When there are more, an instance that takes another one keeps its
 * share of them alone: two hundred that remember 4,000 each are more than the heap of a shard.
 */
const MAX_OF_THREAD = 50_000
const MIN_OF_INSTANCE = 250
/** A chat keeps this share whatever others use: two hundred chats must be flooded before the oldest of all is evicted. */
const FLOOR = 1 / 200
/** Made free at once, so that not every message has to look at all chats. */
const SLACK = 1 / 32
/** Writers of one id that are remembered; honest clients never share one. */
const MAX_WRITERS = 4

/** What the instances of a thread remember together. */
export interface RecentTotal {
  messages: number
  instances: number
}

export interface Recent {
  add(message: WAMessage): void
  /** The first that came under this id and fits. */
  get(id: string, fits: (key: WAMessageKey) => boolean): WAMessage | undefined
  /** The message that another one in a chat refers to; `about`: the key of the referring message. A message of another chat does not match. */
  spokenOf(id: string, about: WAMessageKey): WAMessage | undefined
  /** The latest messages of others in a chat, by any of its names: at most so many, the newest first; what only changes another one is none. */
  received(names: readonly (string | null)[], max: number): WAMessageKey[]
  /** Of a post of a channel by the number the network gave it: what happens to the post names no other. */
  post(newsletter: string, serverId: string): WAMessageKey | undefined
  /** The device is gone: removes everything it received. */
  clear(): void
  /** The instance stops. */
  end(): void
  readonly size: number
}

interface Entry {
  bytes: Uint8Array
  key: WAMessageKey
  chat: string
  /** When it came, by a clock that does not step, in ms. */
  at: number
}

/** Of one chat, the oldest first. */
interface Chat {
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
  maxMessages = MAX_MESSAGES,
  maxBytes = MAX_BYTES,
  now = () => performance.now(),
  total = { messages: 0, instances: 0 },
  maxOfThread = MAX_OF_THREAD,
}: RecentOptions = {}): Recent {
  total.instances++
  let isEnded = false
  /** By id, the first that came under it first. */
  const messages = new Map<string, Entry[]>()
  /** All of them, the longest unchanged first. */
  const all = new Set<Entry>()
  const chats = new Map<string, Chat>()
  let bytes = 0

  function insert(entry: Entry) {
    const chat = chats.get(entry.chat) ?? { entries: new Set(), bytes: 0 }
    chats.set(entry.chat, chat)
    chat.entries.add(entry)
    chat.bytes += entry.bytes.byteLength
    all.add(entry)
    total.messages++
    bytes += entry.bytes.byteLength
  }

  function remove(entry: Entry) {
    const chat = chats.get(entry.chat)!
    chat.entries.delete(entry)
    chat.bytes -= entry.bytes.byteLength
    if (chat.entries.size === 0) chats.delete(entry.chat)
    all.delete(entry)
    total.messages--
    bytes -= entry.bytes.byteLength
    const id = entry.key.id ?? ''
    const others = messages.get(id)?.filter((each) => each !== entry) ?? []
    if (others.length > 0) messages.set(id, others)
    else messages.delete(id)
  }

  function mostNow(): number {
    if (total.messages <= maxOfThread) return maxMessages
    return Math.min(maxMessages, Math.max(MIN_OF_INSTANCE, Math.floor(maxOfThread / total.instances)))
  }

  /** The share of the limits to shrink to when they are exceeded. */
  const enough = maxMessages * SLACK >= 1 ? 1 - SLACK : 1

  function makeRoom() {
    const most = mostNow()
    const fits = (share: number) => all.size <= most * share && bytes <= maxBytes * share
    if (fits(1)) return
    const isEnough = () => fits(enough)
    for (const entry of all) {
      if (isEnough() || now() - entry.at < OLD) break
      remove(entry)
    }
    levelOff((chat) => chat.entries.size, most, all.size)
    levelOff((chat) => chat.bytes, maxBytes, bytes)
    for (const entry of all) {
      if (isEnough()) break
      remove(entry)
    }

    function levelOff(sizeOf: (chat: Chat) => number, max: number, total: number) {
      if (isEnough() || total <= max * enough) return
      const level = Math.max(fairLevel([...chats.values()].map(sizeOf), max * enough), max * FLOOR)
      for (const chat of [...chats.values()])
        for (const entry of chat.entries) {
          // The newest of a chat stays, however large it is.
          if (sizeOf(chat) <= level || chat.entries.size === 1) break
          remove(entry)
        }
    }
  }

  function get(id: string, fits: (key: WAMessageKey) => boolean): WAMessage | undefined {
    const entry = messages.get(id)?.find(({ key }) => fits(key))
    // The key is kept beside: its alternative jids and addressing are not part of the protobuf.
    return entry && ({ ...proto.WebMessageInfo.decode(entry.bytes), key: entry.key } as WAMessage)
  }

  function clear() {
    total.messages -= all.size
    messages.clear()
    all.clear()
    chats.clear()
    bytes = 0
  }

  return {
    add(message) {
      const { key } = message
      if (!key.id || isEnded) return
      const encoded = ownedBytes(proto.WebMessageInfo.encode(message).finish())
      const before = messages.get(key.id) ?? []
      const same = before.find((entry) => isSameWriter(entry.key, key))
      if (!same && before.length >= MAX_WRITERS) return
      const entry: Entry = { bytes: encoded, key, chat: chatNamesOf(key)[0] ?? '', at: same?.at ?? now() }
      if (same) remove(same)
      insert(entry)
      messages.set(key.id, [...(messages.get(key.id) ?? []), entry])
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
      const isNews = ({ bytes }: Entry) => saysSomething(proto.WebMessageInfo.decode(bytes).message ?? {})
      const keys: WAMessageKey[] = []
      for (const entry of theirs) {
        if (keys.length === max) break
        if (isNews(entry)) keys.push(entry.key)
      }
      return keys
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
  }
}

function isSameWriter(one: WAMessageKey, other: WAMessageKey): boolean {
  if (one.fromMe || other.fromMe) return Boolean(one.fromMe) === Boolean(other.fromMe)
  const names = namesOf(one)
  return namesOf(other).some((name) => names.includes(name))
}
