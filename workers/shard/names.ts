/**
 * Names of chats, as far as the network has told them: people by the name they are saved under, else by the one they write with; groups
 * and channels by their subject. In memory and bounded. A group or channel whose name is not known is asked for behind the event, never
 * before it: its next message has the name.
 */
import type { Contact, WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { SECOND } from '../../src/domain/clock.ts'
import type { Session } from './session.ts'
import { cutOrNull } from './translate/inbound/bounds.ts'
import { object, textOf } from './translate/inbound/json.ts'
import { bare, chatKind } from './translate/jid.ts'
import { within } from './within.ts'

export interface Names {
  attach(session: Session): void
  of(jid: string): string | null
  /** What the author of a message calls itself; a saved name is better. */
  heard(jids: readonly (string | null | undefined)[], pushName: string | null | undefined): void
}

const MAX_NAMES = 10_000
const MAX_LENGTH = 256
/** Time to ask for one name, in ms. */
const DEADLINE = 20 * SECOND

export function createNames(log: Logger): Names {
  const saved = new Map<string, string>()
  const pushed = new Map<string, string>()
  let session: Session | null = null
  /** Asked for since the session began: whoever has no name is not asked again and again. */
  let asked = new Set<string>()
  let line: Promise<unknown> = Promise.resolve()

  function learn(names: Map<string, string>, jid: string | null | undefined, name: string | null | undefined) {
    const text = cutOrNull(name, MAX_LENGTH)
    if (!jid || text === null) return
    const chat = bare(jid)
    names.delete(chat)
    names.set(chat, text)
    for (const oldest of names.keys()) {
      if (names.size <= MAX_NAMES) break
      names.delete(oldest)
    }
  }

  function learnContacts(contacts: readonly Partial<Contact>[]) {
    for (const { id, lid, phoneNumber, name, notify } of contacts) {
      for (const jid of [id, lid, phoneNumber]) {
        learn(saved, jid, name)
        learn(pushed, jid, notify)
      }
    }
  }

  async function ask(from: Session, jid: string) {
    const { sock, groups } = from
    const name =
      chatKind(jid) === 'group'
        ? (await within(from, DEADLINE, groups.get(jid))).subject
        : newsletterName(await within(from, DEADLINE, sock.newsletterMetadata('jid', jid)))
    learn(saved, jid, name)
  }

  function wonder(jid: string) {
    const from = session
    const kind = chatKind(jid)
    if (!from?.isOpen || (kind !== 'group' && kind !== 'newsletter') || asked.has(jid)) return
    asked.add(jid)
    line = line
      .then(() => (from === session && from.isOpen ? ask(from, jid) : undefined))
      .catch((error) => log.info({ err: error, jid }, 'the name of a chat is not known'))
  }

  function watch({ ev }: WASocket) {
    ev.on('contacts.upsert', learnContacts)
    ev.on('contacts.update', learnContacts)
    ev.on('messaging-history.set', ({ chats, contacts }) => {
      learnContacts(contacts)
      for (const { id, name } of chats) learn(saved, id, name)
    })
    ev.on('groups.upsert', (groups) => {
      for (const { id, subject } of groups) learn(saved, id, subject)
    })
    ev.on('newsletter-settings.update', ({ id, update }) => learn(saved, id, textOf(object(update).name)))
  }

  return {
    attach(next) {
      session = next
      asked = new Set()
      watch(next.sock)
    },
    of(jid) {
      const chat = bare(jid)
      const subject = session?.groups.known(chat)?.subject
      const name = subject ?? saved.get(chat) ?? pushed.get(chat) ?? null
      if (name === null) wonder(chat)
      return name
    },
    heard(jids, pushName) {
      for (const jid of jids) learn(pushed, jid, pushName)
    },
  }
}

/** The library hands the network's own answer through. */
function newsletterName(answer: unknown): string | null {
  const { name, thread_metadata } = object(answer)
  return textOf(name) ?? textOf(object(object(thread_metadata).name).text)
}
