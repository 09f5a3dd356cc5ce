/**
 * The directory of an account: its chats, people and labels. The network sends the list of chats once, at the pairing, so it is stored: names, flags
 * and counters, never message content. The directory returns lists without a query, and only this module writes its records.
 *
 * A change is made in memory first. It is written with the next commit of the instance (`rides`) or with a `flush`. The changes of a message are in
 * the commit that confirms it, and a message that arrives twice changes nothing the second time. The changes of app state are written before its
 * version, so they may be read again after a kill, which gives the same result.
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
  /** Reads the directory from disk; later calls do nothing. Must be called before any method below. */
  ready(): Promise<void>
  /** Like `ready`, and also sorts the lists of the directory, so that the first page is returned as fast as later pages. */
  warm(): Promise<void>
  /** Records a message. Must be called before the commit of the message, because this commit includes the change. */
  record(message: WAMessage, options: MessageOptions): void
  /** Records a first contact with a person before the message is sent; the commit of the message's keys includes the change. */
  contacted(jids: readonly [string, string?], now: number): void
  /** Removes a first contact that was recorded with `contacted`, because its message was not sent. */
  withdrawContact(jids: readonly [string, string?]): void
  /** Returns the times of all first contacts since `time`, in epoch ms, ascending. */
  contactsSince(time: number): number[]
  /** Records that messages were read, here or on another device of the account. */
  read(keys: readonly WAMessageKey[]): void
  /** Learns a slice of the phone's history. The next `flush` writes it to disk. */
  learn(history: readonly HistoryPiece[]): void
  /** Adds people who have not written, such as group members; each is given as a list of JIDs. Works in slices. They are on disk when it resolves. */
  met(people: readonly (readonly string[])[]): Promise<void>
  /** Learns facts about a group from its metadata or a notice. */
  group(jid: string, facts: GroupFacts): void
  /** Applies actions of app state, in slices. They are on disk when it resolves. */
  apply(actions: readonly AppStateAction[]): Promise<void>
  /** For each pair (number and LID of one person), joins the two entries to one. */
  join(pairs: readonly Pair[]): void

  /** Returns a page of the chats, those with the newest activity first. */
  chats(page: number, size: number): Page<ChatEntry>
  /** Finds a chat by any of its jids; undefined if unknown. */
  chat(jids: readonly (string | null | undefined)[]): ChatEntry | undefined
  /** Returns the number of pinned chats. */
  pinned(): number
  /** Returns the people who are saved on the phone. */
  saved(): ContactEntry[]
  /** Returns a page of the people, sorted by name, then by number. */
  contacts(page: number, size: number): Page<ContactEntry>
  contact(jids: readonly (string | null | undefined)[]): ContactEntry | undefined
  /** Returns the labels that exist, sorted by id. */
  labels(): LabelEntry[]
  /** Finds a label by its id, even if it was deleted. */
  label(id: string): LabelEntry | undefined
  /** Returns an id above all ids that were ever used. */
  nextLabelId(): string
  /** Returns the chats with this label. */
  labelled(id: string): ChatEntry[]

  /** Rider for the instance's store (`context/instance-store.ts`): it adds the changes of the directory to the store's commits. */
  readonly rides: Rider
  /** Resolves when all changes so far are on disk. Rejects if they could not be written; the next commit or `flush` then writes them. */
  flush(): Promise<void>
  /** Removes the directory. Called before another account is linked, after the session has ended. */
  forget(): Promise<void>
}

export interface AccountDirectoryDeps {
  /** Jids of the account itself, which is not a contact. */
  own(): readonly string[]
}

export interface Pair {
  pn: string
  lid: string
}

/** Number of changes that are made in one turn, so that other work can run in between. */
const SLICE = 200
/**
 * Size of `recorded`. After a failed commit its messages arrive again. At most two commits of 32 messages can fail together
 * (`storage/commit-chain.ts`), and the size must exceed their number of messages.
 */
const MAX_RECORDED = 256

/** Text that is logged if the directory could not be written. */
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
   * Messages that are already recorded, so that they are not counted twice: when a commit of several messages fails, the network delivers all of them
   * again.
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

/** Removes a label from every chat. Called when the label was deleted. */
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

/** Groups the ids of messages by chat. Each group also has the jids of the chat. */
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

/** Form of a name for sorting, in which names that differ only in accents and case are adjacent. Entries without a name come last. */
const folded = (name: string) => (IS_PLAIN.test(name) ? name : name.normalize('NFD').replace(/\p{M}+/gu, '')).toLowerCase()
const IS_PLAIN = /^[ -~]*$/

/** Returns a function that compares contacts for sorting. The sort key of an entry is computed only one time. */
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
