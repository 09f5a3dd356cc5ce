/**
 * Changes the entries of people: the names under which they are saved on the phone, and the names that they chose
 * themselves.
 */
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import type { AppStateAction } from '../wire/app-state-actions.ts'
import { cutOrNull, decimal } from '../wire/bounds.ts'
import { bare, chatKind } from '../wire/jid.ts'
import { type ContactEntry, newContact } from './entries.ts'
import type { Table } from './table.ts'

export const MAX_CONTACTS = 20_000
export const MAX_NAME = 100

type Contacts = Pick<Table<ContactEntry>, 'find' | 'add' | 'changed'>

interface Names {
  pn: string | null
  lid: string | null
}

export function namesOf(jids: readonly (string | null | undefined)[]): Names | null {
  const people = jids.flatMap((jid) => (jid && chatKind(jid) === 'user' ? [bare(jid)] : []))
  const lid = people.find((jid) => jid.endsWith('@lid')) ?? null
  const pn = people.find((jid) => jid.endsWith('@s.whatsapp.net')) ?? null
  return pn === null && lid === null ? null : { pn, lid }
}

type ContactFacts = Partial<Omit<ContactEntry, 'pn' | 'lid'>>
const FACTS = ['name', 'firstName', 'pushName', 'verifiedName'] as const

function learn(contacts: Contacts, names: Names, facts: ContactFacts): void {
  const found = contacts.find([names.pn, names.lid])
  const contact = found ?? newContact(names)
  const { pn, lid, usedAt } = contact
  contact.pn ??= names.pn
  contact.lid ??= names.lid
  let hasNew = contact.pn !== pn || contact.lid !== lid
  for (const field of FACTS) {
    const value = facts[field]
    if (value === undefined || value === contact[field]) continue
    contact[field] = value
    hasNew = true
  }
  contact.usedAt = Math.max(usedAt, facts.usedAt ?? 0)
  if (!found) contacts.add(contact)
  else if (hasNew || contact.usedAt !== usedAt) contacts.changed(contact)
}

/** Activity is recorded in whole days. Otherwise every message would be a change that must be written. */
const DAY_SECONDS = 86_400
const dayOf = (seconds: number) => Math.floor(seconds / DAY_SECONDS) * DAY_SECONDS

/**
 * Stores the author of a message, or the recipient of a message from this account. Also stores the names that the
 * author states.
 */
export function recordAuthor(
  contacts: Contacts,
  {
    key,
    pushName,
    verifiedBizName,
    messageTimestamp,
  }: Pick<WAMessage, 'key' | 'pushName' | 'verifiedBizName' | 'messageTimestamp'>,
): void {
  const { remoteJid, remoteJidAlt, participant, participantAlt, fromMe } = key
  const author = fromMe || !participant ? [remoteJid, remoteJidAlt] : [participant, participantAlt]
  const names = namesOf(author)
  if (!names) return
  const isTheirs = !fromMe
  learn(contacts, names, {
    pushName: (isTheirs && cutOrNull(pushName, MAX_NAME)) || undefined,
    verifiedName: (isTheirs && cutOrNull(verifiedBizName, MAX_NAME)) || undefined,
    usedAt: dayOf(decimal(messageTimestamp) ?? 0),
  } as ContactFacts)
}

export function learnPerson(
  contacts: Contacts,
  jids: readonly (string | null | undefined)[],
  facts: { pushName?: string | null | undefined; verifiedName?: string | null | undefined; usedAt?: number | undefined } = {},
): void {
  const names = namesOf(jids)
  if (!names) return
  learn(contacts, names, {
    pushName: cutOrNull(facts.pushName, MAX_NAME) ?? undefined,
    verifiedName: cutOrNull(facts.verifiedName, MAX_NAME) ?? undefined,
    usedAt: dayOf(facts.usedAt ?? 0),
  } as ContactFacts)
}

/**
 * Adds a person who is only a member of a group, unless the table is full: then a person with activity could be
 * evicted.
 */
export function meetPerson(contacts: Contacts & Pick<Table<ContactEntry>, 'size'>, jids: readonly string[]): void {
  const names = namesOf(jids)
  if (!names) return
  const found = contacts.find([names.pn, names.lid])
  if (found === undefined) {
    if (contacts.size < MAX_CONTACTS) contacts.add(newContact(names))
    return
  }
  if ((found.pn ?? names.pn) === found.pn && (found.lid ?? names.lid) === found.lid) return
  found.pn ??= names.pn
  found.lid ??= names.lid
  contacts.changed(found)
}

export function joinContacts(
  contacts: Pick<Table<ContactEntry>, 'find' | 'changed' | 'remove'>,
  { pn, lid }: { pn: string; lid: string },
): void {
  const byPn = contacts.find([pn])
  const byLid = contacts.find([lid])
  const kept = byPn ?? byLid
  if (!kept || (kept.pn === pn && kept.lid === lid && (byLid === undefined || byLid === kept))) return
  if (byPn && byLid && byPn !== byLid) {
    contacts.remove(byLid)
    byPn.name ??= byLid.name
    byPn.firstName ??= byLid.firstName
    byPn.pushName ??= byLid.pushName
    byPn.verifiedName ??= byLid.verifiedName
  }
  kept.pn = pn
  kept.lid = lid
  contacts.changed(kept)
}

type Saved = proto.SyncActionValue.IContactAction

/** Applies a change of app state to a person. A person without a name is no longer saved. */
export function changeContact(contacts: Contacts, { index: [kind, id], value }: AppStateAction): void {
  if ((kind !== 'contact' && kind !== 'lid_contact') || !id) return
  const saved: Saved = (kind === 'contact' ? value?.contactAction : value?.lidContactAction) ?? {}
  const names = namesOf([id, saved.lidJid, saved.pnJid])
  const fullName = saved.fullName || saved.firstName || saved.username
  if (!names || (!fullName && !contacts.find([names.pn, names.lid]))) return
  learn(contacts, names, {
    name: cutOrNull(fullName, MAX_NAME),
    firstName: fullName ? cutOrNull(saved.firstName, MAX_NAME) : null,
  })
}
