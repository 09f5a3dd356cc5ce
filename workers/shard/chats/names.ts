/**
 * Names of chats that the network has sent. For a person this is the name on the phone or the push name, for a group or
 * channel the subject. Saved names are normally sent only once, so they are read from disk after a restart. If the name
 * of a group or channel is unknown, it is queried for later events.
 */

import type { Contact } from '@whiskeysockets/baileys'
import PQueue from 'p-queue'
import type { Logger } from 'pino'
import { type BoundedCache, boundedCache } from '../../../src/lib/bounded-cache.ts'
import { cutOrNull } from '../wire/bounds.ts'
import type { HistoryPiece } from '../wire/history.ts'
import { bare, chatKind } from '../wire/jid.ts'
import { newsletterLookUp, newsletterName } from '../wire/mex.ts'
import type { SavedContacts } from './saved-contacts.ts'
import type { Session } from './session.ts'

export interface Names {
  attach(session: Session): void
  load(): Promise<void>
  /** Returns the name of a chat, or null if none is known. */
  of(jids: readonly string[]): string | null
  saved(contacts: readonly Contact[]): void
  history(pieces: readonly HistoryPiece[]): void
  /** Stores the name that an author sends with a message. `of` prefers a saved name. */
  recordPushName(jids: readonly (string | null | undefined)[], pushName: string | null | undefined): void
  renamed(jid: string, name: string): void
  askNewsletter(jid: string): void
  onNewsletter(listener: (jid: string, description: unknown) => void): void
  /** Removes all names. Called when the account is unlinked, because the next account has other contacts. */
  clear(): void
}

export interface ListedNames {
  name: string | null
  pushName: string | null
}

export interface NameDeps {
  log: Logger
  contacts: Pick<SavedContacts, 'all'>
  listed(jids: readonly string[]): ListedNames | undefined
}

const MAX_NAMES = 10_000
const MAX_LENGTH = 256

export function createNames({ log, contacts, listed }: NameDeps): Names {
  let saved = boundedCache<string, string>(MAX_NAMES)
  const pushed = boundedCache<string, string>(MAX_NAMES)
  let session: Session | null = null
  let asked = new Set<string>()
  const underWay = new Set<string>()
  let loaded: Promise<void> | null = null
  const tasks = new PQueue({ concurrency: 1 })
  const newsletterListeners: ((jid: string, description: unknown) => void)[] = []

  function learn(names: BoundedCache<string, string>, jid: string | null | undefined, name: string | null | undefined) {
    const text = cutOrNull(name, MAX_LENGTH)
    if (!jid || text === null) return
    names.set(bare(jid), text)
  }

  function learnSaved(listed: readonly Contact[]) {
    for (const { id, lid, phoneNumber, name } of listed)
      for (const jid of [id, lid, phoneNumber])
        if (name) learn(saved, jid, name)
        else if (jid) saved.delete(bare(jid))
  }

  /** Reads the saved names from disk. Names that arrive during the reading are newer, so they are kept. */
  async function loadSaved() {
    const unreadable = (error: unknown) => log.warn({ err: error }, 'a stored contact name could not be decoded')
    const names = saved
    for (const { jid, lid, name } of await contacts.all(unreadable)) {
      for (const each of [jid, lid]) if (each && !names.has(each)) learn(names, each, name)
    }
  }

  async function askName({ ask, groups }: Session, jid: string) {
    if (chatKind(jid) === 'group') return learn(saved, jid, (await ask.run(() => groups.get(jid))).subject)
    const description = await ask.mex('FetchNewsletter', newsletterLookUp(jid, 'JID', 'SUBSCRIBER'))
    if (description === null) return
    learn(saved, jid, newsletterName(description))
    for (const listener of newsletterListeners) listener(jid, description)
  }

  function inquire(jid: string) {
    const from = session
    if (!from?.isOpen || underWay.has(jid)) return
    underWay.add(jid)
    tasks.add(async () => {
      try {
        if (from === session && from.isOpen) await askName(from, jid)
      } catch (error) {
        log.info({ err: error, chat: chatKind(jid) }, 'the name of a chat could not be looked up')
      } finally {
        underWay.delete(jid)
      }
    })
  }

  function prefetch(jid: string) {
    const kind = chatKind(jid)
    if (!session?.isOpen || (kind !== 'group' && kind !== 'newsletter') || asked.has(jid)) return
    asked.add(jid)
    inquire(jid)
  }

  return {
    attach(next) {
      session = next
      asked = new Set()
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
        listed(chats)?.name ??
        first((chat) => pushed.get(chat)) ??
        listed(chats)?.pushName ??
        null
      if (name === null) chats.forEach(prefetch)
      return name
    },
    saved: learnSaved,
    history(pieces) {
      for (const piece of pieces) {
        if (piece.kind === 'pushName') learn(pushed, piece.jid, piece.name)
        if (piece.kind !== 'chat') continue
        const { id, lidJid, accountLid, pnJid, displayName, name, username } = piece.chat
        for (const jid of [id, lidJid || accountLid, pnJid]) learn(saved, jid, displayName || name || username)
      }
    },
    recordPushName(jids, pushName) {
      for (const jid of jids) learn(pushed, jid, pushName)
    },
    renamed: (jid, name) => learn(saved, jid, name),
    askNewsletter: inquire,
    onNewsletter(listener) {
      newsletterListeners.push(listener)
    },
    clear() {
      // A read of the saved names may still be running. It fills the old map, which is no longer used.
      saved = boundedCache(MAX_NAMES)
      pushed.clear()
      asked.clear()
      loaded = Promise.resolve()
    },
  }
}
