/**
 * The directory of an account: its chats, people and labels, without contents of messages. The network sends the list
 * of chats once, at the pairing, so it is stored.
 * A change is made in memory first, and written with the next commit of the instance (`rides`) or with a `flush`. If
 * the same change arrives twice, for example after a kill, the result is the same.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Rider } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Context } from '../context/instance-context.ts'
import type { AppStateAction } from '../wire/app-state-actions.ts'
import type { HistoryChat, HistoryPiece } from '../wire/history.ts'
import { bare } from '../wire/jid.ts'
import {
  changeChat,
  type GroupFacts,
  isChat,
  joinChats,
  learnConversation,
  learnGroup,
  MAX_CHATS,
  type MessageOptions,
  readMessages,
  recordContact,
  recordMessage,
  withdrawContact,
} from './chats.ts'
import { changeContact, joinContacts, learnPerson, MAX_CONTACTS, meetPerson, recordAuthor } from './contacts.ts'
import { ChatEntry, ContactEntry, type LabelEntry, LabelRecord } from './entries.ts'
import { changeLabel, isLabel, MAX_LABELS } from './labels.ts'
import { orderOf, type Page } from './order.ts'
import { createTable, type Table } from './table.ts'
import { createWriteBehind } from './write-behind.ts'

export interface AccountDirectory {
  /**
   * Loads the directory. The methods that read or change entries may be called only after this has resolved; `warm`
   * calls it itself.
   */
  ready(): Promise<void>
  warm(): Promise<void>
  /** Records a message. Must be called before the commit of the message, which then includes this change. */
  record(message: WAMessage, options: MessageOptions): void
  /**
   * Must be called before the first message to a new person is sent, because the record is in the commit of the
   * message's keys.
   */
  contacted(jids: readonly [string, string?], now: number): void
  withdrawContact(jids: readonly [string, string?]): void
  /** Returns the times of first messages to new people after `time`, in epoch ms, ascending. */
  contactsSince(time: number): number[]
  read(keys: readonly WAMessageKey[]): void
  learn(history: readonly HistoryPiece[]): void
  /**
   * Adds people who have not written, such as group members. Each person is a list of jids. The people are on disk when
   * this resolves.
   */
  met(people: readonly (readonly string[])[]): Promise<void>
  group(jid: string, facts: GroupFacts): void
  apply(actions: readonly AppStateAction[]): Promise<void>
  join(pairs: readonly Pair[]): void

  chats(page: number, size: number): Page<ChatEntry>
  chat(jids: readonly (string | null | undefined)[]): ChatEntry | undefined
  pinned(): number
  saved(): ContactEntry[]
  contacts(page: number, size: number): Page<ContactEntry>
  contact(jids: readonly (string | null | undefined)[]): ContactEntry | undefined
  labels(): LabelEntry[]
  label(id: string): LabelEntry | undefined
  nextLabelId(): string
  labelled(id: string): ChatEntry[]

  /** Adds the changes of the directory to the commits of the instance. */
  readonly rides: Rider
  /**
   * Resolves when all changes so far are on disk. Rejects if they could not be written; the next commit or `flush` then
   * writes them.
   */
  flush(): Promise<void>
  /** Removes the whole directory. Called before another account is linked, after the session has ended. */
  forget(): Promise<void>
}

export interface AccountDirectoryDeps {
  own(): readonly string[]
}

export interface Pair {
  pn: string
  lid: string
}

const SLICE = 200
/**
 * Maximum number of recorded messages that are remembered. Two commits of 32 messages can fail together, and their
 * messages arrive again, so this number must be larger than 64.
 */
const MAX_RECORDED = 256

export const UNWRITTEN = 'the list of chats and contacts could not be written to disk'

export function createAccountDirectory(
  context: Context<'id' | 'store' | 'sealer' | 'log'>,
  { own }: AccountDirectoryDeps,
): AccountDirectory {
  const { id: instance, store } = context
  const { chats, contacts, labels, newestFirst, byName } = createTables(context)
  const tables = [chats, contacts, labels]
  const { rides, flush, flushBehind, idle } = createWriteBehind(context, tables, UNWRITTEN)
  /**
   * Recently recorded messages, so that none is counted twice: the network delivers a message again if its commit has
   * failed.
   */
  const recorded = boundedCache<string, true>(MAX_RECORDED)

  async function inSlices<T>(items: readonly T[], work: (item: T) => void) {
    for (let from = 0; from < items.length; from += SLICE) {
      if (from > 0) await nextTurn()
      for (const item of items.slice(from, from + SLICE)) work(item)
    }
    await flush()
  }

  const isOwn = (jid: string | null | undefined) => Boolean(jid) && own().includes(bare(jid!))

  function learnChat(facts: HistoryChat) {
    const { id, pnJid, lidJid, accountLid, conversationTimestamp } = facts
    learnConversation(chats, facts)
    if (!isOwn(id)) learnPerson(contacts, [id, pnJid, lidJid, accountLid], { usedAt: Number(conversationTimestamp ?? 0) })
  }

  const ready = async () => void (await Promise.all(tables.map((table) => table.load())))

  return {
    ready,
    async warm() {
      await ready()
      for (const order of [newestFirst, byName]) {
        await nextTurn()
        order.page(1, 1)
      }
    },

    record(message, options) {
      const { remoteJid, participant, id, fromMe } = message.key
      if (!remoteJid) return
      const name = [remoteJid, participant, fromMe, id].join(' ')
      if (recorded.has(name)) return
      if (recordMessage(chats, message, options)) recorded.set(name, true)
      const author = participant ?? remoteJid
      if (isChat(remoteJid) && !isOwn(author)) recordAuthor(contacts, message)
    },

    contacted: (jids, now) => recordContact(chats, jids, now),
    withdrawContact: (jids) => withdrawContact(chats, jids),
    contactsSince: (time) =>
      [...chats.values()]
        .map(({ contactedAt }) => contactedAt)
        .filter((at) => at > time)
        .sort((one, other) => one - other),

    read(messages) {
      for (const { jids, ids } of idsByChat(messages)) readMessages(chats, jids, ids)
      flushBehind()
    },

    learn(history) {
      for (const piece of history) {
        if (piece.kind === 'chat') learnChat(piece.chat)
        if (piece.kind === 'pushName' && !isOwn(piece.jid)) learnPerson(contacts, [piece.jid], { pushName: piece.name })
      }
    },

    met: (people) =>
      inSlices(people, (jids) => {
        if (!jids.some(isOwn)) meetPerson(contacts, jids)
      }),

    group(jid, facts) {
      learnGroup(chats, bare(jid), facts)
      flushBehind()
    },

    apply: (actions) =>
      inSlices(actions, (action) => {
        changeChat(chats, action)
        changeContact(contacts, action)
        changeLabel(labels, action)
        const { index, value } = action
        if (index[0] === 'label_edit' && value?.labelEditAction?.deleted) takeOff(chats, index[1] ?? '')
      }),

    join(pairs) {
      for (const pair of pairs) {
        joinChats(chats, pair)
        joinContacts(contacts, pair)
      }
      flushBehind()
    },

    chats: (page, size) => newestFirst.page(page, size),
    chat: (jids) => chats.find(jids.map((jid) => jid && bare(jid))),
    pinned: () => [...chats.values()].filter(({ isPinned }) => isPinned).length,
    saved: () => [...contacts.values()].filter(({ name }) => name !== null),
    contacts: (page, size) => byName.page(page, size),
    contact: (jids) => contacts.find(jids.map((jid) => jid && bare(jid))),
    labels: () => [...labels.values()].filter(isLabel).sort((one, other) => Number(one.id) - Number(other.id)),
    label: (id) => labels.find([id]),
    nextLabelId: () => String(Math.max(0, ...[...labels.values()].map(({ id }) => Number(id))) + 1),
    labelled: (id) => labelled(chats, id),

    rides,
    flush,
    async forget() {
      for (const table of tables) table.clear()
      recorded.clear()
      await idle()
      await removeAll(store, keys.directory(instance))
    },
  }
}

type Labelled = Pick<Table<ChatEntry>, 'values' | 'changed'>

const labelled = (chats: Labelled, id: string) => [...chats.values()].filter((chat) => chat.labels.includes(id))

function takeOff(chats: Labelled, id: string) {
  for (const chat of labelled(chats, id)) {
    chat.labels = chat.labels.filter((each) => each !== id)
    chats.changed(chat)
  }
}

function createTables(context: Context<'id' | 'store' | 'sealer' | 'log'>) {
  const chats = createTable<ChatEntry>(context, {
    name: 'chat',
    schema: ChatEntry,
    parts: 1_024,
    max: MAX_CHATS,
    jidsOf: ({ id, other }) => [id, other],
    usedAt: ({ activeAt, contactedAt }) => Math.max(activeAt, contactedAt / SECOND),
  })
  const contacts = createTable<ContactEntry>(context, {
    name: 'contact',
    schema: ContactEntry,
    parts: 1_024,
    max: MAX_CONTACTS,
    jidsOf: ({ pn, lid }) => [pn, lid],
    usedAt: ({ usedAt }) => usedAt,
  })
  const labels = createTable<LabelEntry>(context, {
    name: 'label',
    schema: LabelRecord,
    parts: 1,
    max: MAX_LABELS,
    jidsOf: ({ id }) => [id],
    usedAt: ({ id }) => Number(id),
  })
  const newestFirst = orderOf(
    chats,
    (one, other) => other.activeAt - one.activeAt || other.receivedAt - one.receivedAt,
    ({ isListed }) => isListed,
  )
  const byName = orderOf(contacts, createByRank())
  return { chats, contacts, labels, newestFirst, byName }
}

function idsByChat(messages: readonly WAMessageKey[]) {
  const byChat = new Map<string, { jids: (string | null | undefined)[]; ids: string[] }>()
  for (const { remoteJid, remoteJidAlt, id } of messages) {
    if (!remoteJid || !id) continue
    const known = byChat.get(remoteJid) ?? { jids: [remoteJid, remoteJidAlt], ids: [] }
    known.ids.push(id)
    byChat.set(remoteJid, known)
  }
  return byChat.values()
}

/** Returns the name by which people are sorted, without accents and in lower case. */
const folded = (name: string) => (IS_PLAIN.test(name) ? name : name.normalize('NFD').replace(/\p{M}+/gu, '')).toLowerCase()
const IS_PLAIN = /^[ -~]*$/

function createByRank(): (one: ContactEntry, other: ContactEntry) => number {
  const ranks = new WeakMap<ContactEntry, { name: string | null; jid: string; rank: string }>()

  function rankOf(entry: ContactEntry): string {
    const { name, pn, lid } = entry
    const jid = pn ?? lid ?? ''
    const known = ranks.get(entry)
    if (known?.name === name && known.jid === jid) return known.rank
    const rank = `${name === null ? '1' : `0${folded(name)}`}\u0000${jid}`
    ranks.set(entry, { name, jid, rank })
    return rank
  }

  return (one, other) => {
    const [first, second] = [rankOf(one), rankOf(other)]
    return first < second ? -1 : first > second ? 1 : 0
  }
}
