import { createHash } from 'node:crypto'
import { type BinaryNode, child, children, node, randomId, seconds } from '../../wire/node.ts'
import { enqueue } from '../delivery.ts'
import { parseJid } from '../jid.ts'
import type { Companion, Network, Person } from '../model.ts'
import { findPerson, lidJidOf, pnOf } from '../people.ts'
import { announcePrivacy, chooseSetting, PRIVACY_VALUES, privacyOf } from '../privacy.ts'
import type { Answer } from './query.ts'
import { QueryError } from './query.ts'

function listHash(entries: Set<string>): string {
  return entries.size === 0
    ? 'none'
    : createHash('sha256')
        .update([...entries].sort().join())
        .digest('base64url')
        .slice(0, 12)
}

/** Throws unless a list names people by LID. Every account of this network has a LID. */
function mustNameByLid({ attrs }: BinaryNode) {
  if (attrs.addressing_mode !== 'lid') throw new QueryError(400, 'bad-request')
}

const getPrivacy: Answer = ({ network, companion: { person }, subject }) => {
  const asked = child(subject, 'list')
  if (!asked) {
    const categories = Object.entries(privacyOf(person)).map(([name, value]) => node('category', { name, value }))
    return [node('privacy', {}, categories)]
  }
  mustNameByLid(subject)
  const { name = '', value } = asked.attrs
  if (!PRIVACY_VALUES[name]?.includes('contact_blacklist')) throw new QueryError(400, 'bad-request')
  const isInForce = value === 'contact_blacklist' && privacyOf(person)[name] === 'contact_blacklist'
  return [node('privacy', { addressing_mode: 'lid' }, isInForce ? [exceptions(network, person, name)] : [])]
}

function exceptions(network: Network, person: Person, name: string): BinaryNode {
  const numbers = person.privacyLists.get(name) ?? new Set<string>()
  const users = [...numbers].flatMap((number) => {
    const other = network.people.get(number)
    return other ? [node('user', { jid: lidJidOf(other), pn_jid: pnOf(other) })] : []
  })
  return node('list', { name, value: 'contact_blacklist', dhash: listHash(numbers) }, users)
}

/** Changes privacy settings. A list of excluded people is only changed if the client knows its current version. */
const setPrivacy: Answer = ({ network, companion, subject }) => {
  const { person } = companion
  const changed = children(subject, 'category')
  for (const category of changed) {
    const { name = '', value = '' } = category.attrs
    if (!PRIVACY_VALUES[name]?.includes(value)) throw new QueryError(400, 'bad-request')
    if (children(category, 'user').length > 0) changeExceptions(network, person, subject, category)
    chooseSetting(person, name, value)
  }
  network.changed()
  announcePrivacy(
    network,
    person,
    changed.map(({ attrs }) => attrs.name ?? ''),
    companion,
  )
  const answered = changed.map(({ attrs: { name = '', value } }) =>
    node('category', { name, value, ...(value === 'contact_blacklist' ? { dhash: listHash(listOf(person, name)) } : {}) }),
  )
  return [node('privacy', {}, answered)]
}

function listOf(person: Person, name: string): Set<string> {
  const known = person.privacyLists.get(name)
  if (known) return known
  const fresh = new Set<string>()
  person.privacyLists.set(name, fresh)
  return fresh
}

function changeExceptions(network: Network, person: Person, subject: BinaryNode, category: BinaryNode) {
  const { name = '', value, dhash } = category.attrs
  mustNameByLid(subject)
  if (value !== 'contact_blacklist') throw new QueryError(400, 'bad-request')
  const numbers = listOf(person, name)
  if (dhash !== listHash(numbers)) throw new QueryError(409, 'conflict')
  const changes = children(category, 'user').map(({ attrs }) => {
    const other = parseJid(attrs.jid ?? '').server === 'lid' ? findPerson(network, attrs.jid ?? '') : undefined
    if (!other || (attrs.action !== 'add' && attrs.action !== 'remove')) throw new QueryError(400, 'bad-request')
    return { number: other.number, isRemoval: attrs.action === 'remove' }
  })
  for (const { number, isRemoval } of changes) {
    if (isRemoval) numbers.delete(number)
    else numbers.add(number)
  }
}

/** Notifies every device of the account except the one that made the change. */
function notifyOwnDevices(network: Network, companion: Companion, item: BinaryNode) {
  for (const other of companion.person.companions.values()) if (other !== companion) enqueue(network, other, item)
}

function blocklist(network: Network, person: Person, known: string | undefined): BinaryNode[] {
  const dhash = listHash(person.blocklist)
  if (known === dhash) return []
  return [node('list', { addressing_mode: 'lid', dhash }, blockedItems(network, person))]
}

function blockedItems(network: Network, person: Person): BinaryNode[] {
  return [...person.blocklist].map((jid) => {
    const other = findPerson(network, jid)
    return node('item', { jid, pn_jid: other && pnOf(other) })
  })
}

/** Attributes of which exactly one must accompany the LID of a person to block. */
const IDENTIFIERS = ['pn_jid', 'username', 'display_name', 'unknown_identifier']

/**
 * Blocks or unblocks a person. If the client gave the hash of the list before this change, the answer contains only the
 * new hash. Otherwise, it contains the whole list.
 */
const setBlocked: Answer = ({ network, companion, subject }) => {
  const { person: own } = companion
  const { jid = '', action, dhash: known } = subject.attrs
  const person = parseJid(jid).server === 'lid' ? findPerson(network, jid) : undefined
  const identifiers = IDENTIFIERS.filter((name) => name in subject.attrs)
  const isKnown = action === 'block' || action === 'unblock'
  if (!person || !isKnown || identifiers.length !== (action === 'block' ? 1 : 0)) throw new QueryError(400, 'bad-request')
  const before = listHash(own.blocklist)
  if (action === 'block') own.blocklist.add(lidJidOf(person))
  else own.blocklist.delete(lidJidOf(person))
  network.changed()
  const dhash = listHash(own.blocklist)
  const change = node('item', { jid: lidJidOf(person), action })
  const attrs = { from: pnOf(own), type: 'account_sync', id: randomId(), t: seconds() }
  const news = node('blocklist', { action: 'modify', dhash, prev_dhash: before }, [change])
  notifyOwnDevices(network, companion, node('notification', attrs, [news]))
  if (known === before) return [node('list', { matched: true, dhash })]
  return [node('list', { matched: false, addressing_mode: 'lid', dhash }, blockedItems(network, own))]
}

/**
 * Handles a report of an account or a group. The report names the screen from which it was sent. Only members can
 * report a group.
 */
const report: Answer = ({ network, companion: { person }, subject }) => {
  const { spam_flow: flow, jid = '', subject: title } = subject.attrs
  if (flow === 'group_info_report' ? title === undefined : flow !== 'account_info_report')
    throw new QueryError(400, 'bad-request')
  if (flow === 'group_info_report' && !network.groups.get(jid)?.members.has(person.number)) throw new QueryError(403, 'forbidden')
  if (flow === 'account_info_report' && !findPerson(network, jid)) throw new QueryError(400, 'bad-request')
  person.reports = [...(person.reports ?? []), jid]
  network.changed()
  return [node('report', { id: randomId() })]
}

export const PRIVACY_QUERIES: Record<string, Answer> = {
  'privacy get privacy': getPrivacy,
  'privacy set privacy': setPrivacy,
  'blocklist get *': ({ network, companion, subject }) => blocklist(network, companion.person, subject.attrs.dhash),
  'blocklist set item': setBlocked,
  'spam set spam_list': report,
  'disappearing_mode set disappearing_mode': ({ network, companion, subject }) => {
    companion.person.defaultEphemeralSeconds = Number(subject.attrs.duration ?? 0)
    network.changed()
    return undefined
  },
}
