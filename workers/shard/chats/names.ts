/**
 * Names of chats, as far as the network has told them: people by the name they are saved under, else by the one they write with; groups
 * and channels by their subject. In memory and bounded; the saved names, which app state tells once, are read again after a restart. A
 * group or channel whose name is not known is asked for behind the event, never before it: its next message has the name.
 */

import type { Contact, WASocket } from '@whiskeysockets/baileys'
import PQueue from 'p-queue'
import type { Logger } from 'pino'
import { SECOND } from '../../../src/domain/clock.ts'
import { type BoundedCache, boundedCache } from '../../../src/lib/bounded-cache.ts'
import { within } from '../connection/within.ts'
import { cutOrNull } from '../wire/bounds.ts'
import { bare, chatKind } from '../wire/jid.ts'
import { object, textOf } from '../wire/json.ts'
import type { SavedContacts } from './saved-contacts.ts'
import type { Session } from './session.ts'

export interface Names {
  attach(session: Session): void
  /** Reads the saved names, once. */
  load(): Promise<void>
  /** By any jid of the chat. */
  of(jids: readonly string[]): string | null
  /** Of the phone's address book, as soon as it is on disk: the library tells of it up to 100 ms later. Without a name: not any more. */
  saved(contacts: readonly Contact[]): void
  /** What the author of a message calls itself; a saved name is better. */
  heard(jids: readonly (string | null | undefined)[], pushName: string | null | undefined): void
  /** A group or channel has another name. */
  renamed(jid: string, name: string): void
  /** Asks for the description of a channel, unless that is under way. */
  askNewsletter(jid: string): void
  /** When the account is unlinked: the next one has people of its own. */
  clear(): void
}

export interface NameDeps {
  log: Logger
  contacts: Pick<SavedContacts, 'all'>
  /** The network's description of a channel. */
  onNewsletter(jid: string, description: unknown): void
}

const MAX_NAMES = 10_000
const MAX_LENGTH = 256
/** Time to ask for one name, in ms. */
const DEADLINE = 20 * SECOND

export function createNames({ log, contacts, onNewsletter }: NameDeps): Names {
  let saved = boundedCache<string, string>(MAX_NAMES)
  const pushed = boundedCache<string, string>(MAX_NAMES)
  let session: Session | null = null
  /** Asked for since the session began: whoever has no name is not asked again and again. */
  let asked = new Set<string>()
  const underWay = new Set<string>()
  let loaded: Promise<void> | null = null
  const line = new PQueue({ concurrency: 1 })

  function learn(names: BoundedCache<string, string>, jid: string | null | undefined, name: string | null | undefined) {
    const text = cutOrNull(name, MAX_LENGTH)
    if (!jid || text === null) return
    names.set(bare(jid), text)
  }

  function learnContacts(told: readonly Partial<Contact>[]) {
    for (const { id, lid, phoneNumber, name, notify } of told) {
      for (const jid of [id, lid, phoneNumber]) {
        learn(saved, jid, name)
        learn(pushed, jid, notify)
      }
    }
  }

  /** From app state, whose contacts are those saved on the phone: one without a name is not any more. */
  function learnSaved(told: readonly Contact[]) {
    for (const { id, lid, phoneNumber, name } of told) {
      if (!name) for (const jid of [id, lid, phoneNumber]) if (jid) saved.delete(bare(jid))
    }
    learnContacts(told)
  }

  /** What was told meanwhile is newer. */
  async function loadSaved() {
    const unreadable = (error: unknown) => log.warn({ err: error }, 'a saved name could not be read')
    const names = saved
    for (const { jid, lid, name } of await contacts.all(unreadable)) {
      for (const each of [jid, lid]) if (each && !names.has(each)) learn(names, each, name)
    }
  }

  async function ask(from: Session, jid: string) {
    const { sock, groups } = from
    if (chatKind(jid) === 'group') return learn(saved, jid, (await within(from, DEADLINE, groups.get(jid))).subject)
    const description = await within(from, DEADLINE, sock.newsletterMetadata('jid', jid))
    learn(saved, jid, newsletterName(description))
    onNewsletter(jid, description)
  }

  function inquire(jid: string) {
    const from = session
    if (!from?.isOpen || underWay.has(jid)) return
    underWay.add(jid)
    line.add(async () => {
      try {
        if (from === session && from.isOpen) await ask(from, jid)
      } catch (error) {
        log.info({ err: error, chat: chatKind(jid) }, 'the name of a chat is not known')
      } finally {
        underWay.delete(jid)
      }
    })
  }

  function wonder(jid: string) {
    const kind = chatKind(jid)
    if (!session?.isOpen || (kind !== 'group' && kind !== 'newsletter') || asked.has(jid)) return
    asked.add(jid)
    inquire(jid)
  }

  function watch({ ev }: WASocket) {
    ev.on('contacts.upsert', learnSaved)
    ev.on('contacts.update', learnContacts)
    ev.on('messaging-history.set', ({ chats, contacts: told }) => {
      learnContacts(told)
      for (const { id, name } of chats) learn(saved, id, name)
    })
    ev.on('groups.upsert', (groups) => {
      for (const { id, subject } of groups) learn(saved, id, subject)
    })
    ev.on('groups.update', (changes) => {
      for (const { id, subject } of changes) learn(saved, id, subject)
    })
  }

  return {
    attach(next) {
      session = next
      asked = new Set()
      watch(next.sock)
    },
    load() {
      loaded ??= loadSaved().catch((error) => {
        loaded = null
        throw error
      })
      return loaded
    },
    of(jids) {
      const chats = jids.map(bare)
      const first = (nameOf: (chat: string) => string | undefined) => chats.map(nameOf).find((name) => name !== undefined)
      const name =
        first((chat) => session?.groups.known(chat)?.subject) ??
        first((chat) => saved.get(chat)) ??
        first((chat) => pushed.get(chat)) ??
        null
      if (name === null) chats.forEach(wonder)
      return name
    },
    saved: learnSaved,
    heard(jids, pushName) {
      for (const jid of jids) learn(pushed, jid, pushName)
    },
    renamed: (jid, name) => learn(saved, jid, name),
    askNewsletter: inquire,
    clear() {
      // Another map: what is being read goes with the old one.
      saved = boundedCache(MAX_NAMES)
      pushed.clear()
      asked.clear()
      loaded = Promise.resolve()
    },
  }
}

/** The library hands the network's own answer through. */
function newsletterName(answer: unknown): string | null {
  const { name, thread_metadata } = object(answer)
  return textOf(name) ?? textOf(object(object(thread_metadata).name).text)
}
