/**
 * Stores the author and chat of each message. They show whether a deletion, an edit or a receipt may refer to the
 * message. Senders choose ids, so the first message with an id owns it. Rows of the account's own messages stay for one
 * to two months. Rows of others stay as long, unless 20,000 or more newer ones displace them.
 */
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { createFairGenerations } from '../../../src/storage/fair-generations.ts'
import { createGenerations, type Term } from '../../../src/storage/generations.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Claim, Speaker } from '../translate/inbound/context.ts'
import { chatNamesOf, namesOf } from '../translate/inbound/referenced.ts'
import { bare, chatKind } from '../wire/jid.ts'
import { FACETS, type FacetContext } from './facets.ts'

const CLAIMED = 128
/**
 * Maximum number of own messages whose chat is cached. Most receipts of a message arrive within seconds, so a small
 * number is enough.
 */
const REMEMBERED = 500

const TERMS: Record<'ours' | 'others', Term> = { ours: FACETS.ownAuthor, others: FACETS.author }

export interface Authorship {
  load(): Promise<void>
  /** Returns the operations for the commit of a received message. Empty if another message already has its id. */
  ops(key: WAMessageKey): Promise<Op[]>
  /** Returns the operations for the commit before a message is sent to `chat`. */
  ownOps(id: string, chat: string): Op[]
  /**
   * Checks whether a sender may refer to the message with this `id`. `chat`: every jid of the chat in which the
   * reference was sent.
   */
  claim(id: string, chat: Iterable<string>, sender: Speaker): Promise<Claim>
  /** Whether the account sent the message with this `id` to this chat. `chat`: every jid of the chat. */
  isOwn(id: string, chat: Iterable<string>): Promise<boolean>
  forget(): Promise<void>
}

interface Row {
  chats: string[]
  authors: string[]
}

export function createAuthorship({ id: instance, store, sealer, clock, retention }: FacetContext, terms = TERMS): Authorship {
  const ours = createGenerations({ store, clock, prefix: keys.authorsOf(instance, 'ours'), ...terms.ours })
  const others = createFairGenerations({
    store,
    clock,
    prefix: keys.authorsOf(instance, 'others'),
    crowdPrefix: keys.authorsOf(instance, 'crowd'),
    ...terms.others,
  })
  const all = [ours, others]
  /**
   * The latest rows by hashed id, so that the first of two messages with an id owns it even before it is on disk. The
   * rows are text, because each small buffer would keep 8 kB of Node's pool in memory.
   */
  const claimed = boundedCache<string, string>(CLAIMED)
  const recent = boundedCache<string, readonly string[]>(REMEMBERED)
  const sweepSoon = retention.covers(async (isStopped) => {
    for (const each of all) await each.removeOld(isStopped)
  }, 'old authors of messages could not be removed')

  const blind = (name: string) => sealer.blind(bare(name))
  const hashOf = (id: string) => sealer.blind(`message ${id}`)
  const blindAll = (names: Iterable<string>) => new Set([...names].map(blind))

  /**
   * A message of the account is preferred to a received one with the same id. All reads are begun together, so that the
   * store can combine them.
   */
  async function find(id: string): Promise<Row | null> {
    const hash = hashOf(id)
    const found = await Promise.all(all.flatMap((each) => each.keys(hash)).map((key) => store.get(key)))
    const first = found.find((bytes) => bytes !== undefined)
    return first ? rowOf(first) : null
  }

  function ownOps(id: string, chats: readonly string[]): Op[] {
    const { key, isNew } = ours.next(hashOf(id))
    if (isNew) sweepSoon()
    const value = bytesOf({ chats: chats.map(blind), authors: [] })
    ours.count(value.byteLength)
    return [[key, value]]
  }

  return {
    async load() {
      await Promise.all(all.map((each) => each.load()))
    },
    async ops(key) {
      const chats = chatsOf(key)
      const [chat] = chats
      if (!key.id || chat === undefined || (await find(key.id))) return []
      if (key.fromMe) return ownOps(key.id, chats)
      const hash = hashOf(key.id)
      const value = bytesOf({ chats: chats.map(blind), authors: namesOf(key).map(blind) })
      const row = value.toString('latin1')
      const owner = claimed.get(hash)
      if (owner !== undefined && owner !== row) return []
      claimed.set(hash, row)
      const place = others.next(hash, blind(chat))
      if (place.isNew) sweepSoon()
      place.count(value.byteLength)
      return [[place.key, value]]
    },
    ownOps(id, chat) {
      recent.set(id, [bare(chat)])
      return ownOps(id, [chat])
    },
    async claim(id, chat, sender) {
      const row = await find(id)
      if (!row) return { place: 'unknown' }
      const chats = blindAll(chat)
      if (!row.chats.some((name) => chats.has(name))) return { place: 'elsewhere' }
      if (sender === 'account') return { place: 'here', isSpeakers: row.authors.length === 0 }
      const names = blindAll(sender)
      return { place: 'here', isSpeakers: row.authors.some((name) => names.has(name)) }
    },
    async isOwn(id, chat) {
      const known = recent.get(id)
      if (known) for (const name of chat) if (known.includes(bare(name))) return true
      const hash = hashOf(id)
      const found = await Promise.all(ours.keys(hash).map((key) => store.get(key)))
      const chats = blindAll(chat)
      return found.some((bytes) => bytes !== undefined && rowOf(bytes).chats.some((name) => chats.has(name)))
    },
    async forget() {
      await retention.idle()
      await removeAll(store, keys.authors(instance))
      claimed.clear()
      for (const each of all) each.forgotten()
      recent.clear()
    },
  }
}

const chatsOf = (key: WAMessageKey) => (chatKind(key.remoteJid ?? '') === 'broadcast' ? namesOf(key) : chatNamesOf(key))

const LISTS = '|'
const NAMES = ','
const bytesOf = ({ chats, authors }: Row) => Buffer.from([chats, authors].map((names) => names.join(NAMES)).join(LISTS))
function rowOf(bytes: Uint8Array): Row {
  const [chats = '', authors = ''] = Buffer.from(bytes).toString('latin1').split(LISTS)
  const listed = (names: string) => (names === '' ? [] : names.split(NAMES))
  return { chats: listed(chats), authors: listed(authors) }
}
