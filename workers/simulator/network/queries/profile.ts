import { createHash, randomBytes } from 'node:crypto'
import { type BinaryNode, bytesOf, child, children, node, randomId, SERVER, seconds, textOf } from '../../wire/node.ts'
import { enqueue } from '../delivery.ts'
import { setGroupPicture } from '../group-settings.ts'
import { isGroup, lidOf } from '../jid.ts'
import type { Companion, Network, Person } from '../model.ts'
import { findPerson, hearSignal, lidJidOf, pnOf } from '../people.ts'
import { pictureId, picturePath, pictureUrl, setPersonPicture } from '../pictures.ts'
import type { Answer } from './query.ts'
import { QueryError } from './query.ts'

/** What the privacy settings of an account are until it changes them. */
const PRIVACY_DEFAULTS = {
  readreceipts: 'all',
  profile: 'all',
  status: 'all',
  online: 'all',
  last: 'all',
  groupadd: 'all',
  calladd: 'all',
  messages: 'all',
}

function privacyList(person: Person): BinaryNode {
  const entries = Object.entries({ ...PRIVACY_DEFAULTS, ...Object.fromEntries(person.privacy) })
  return node(
    'privacy',
    {},
    entries.map(([name, value]) => node('category', { name, value })),
  )
}

/** Version of an exception list: changes with its content. */
function listHash(numbers: Set<string>): string {
  return numbers.size === 0
    ? 'none'
    : createHash('sha256')
        .update([...numbers].sort().join())
        .digest('base64url')
        .slice(0, 12)
}

function exceptions(person: Person, name: string): BinaryNode {
  const numbers = person.privacyLists.get(name) ?? new Set<string>()
  const users = [...numbers].map((number) => node('user', { jid: `${lidOf(number)}@lid`, pn_jid: `${number}@${SERVER}` }))
  return node('privacy', {}, [node('list', { name, value: 'contact_blacklist', dhash: listHash(numbers) }, users)])
}

/** A setting, or the people it leaves out: those only over the version the client knows. */
const setPrivacy: Answer = ({ network, companion, subject }) => {
  const { person } = companion
  const changed = children(subject, 'category')
  for (const category of changed) {
    const { name = '', value = '', dhash } = category.attrs
    const numbers = person.privacyLists.get(name) ?? new Set<string>()
    const users = children(category, 'user')
    if (users.length > 0 && dhash !== listHash(numbers)) throw new QueryError(409, 'conflict')
    for (const { attrs } of users) {
      const other = findPerson(network, attrs.pn_jid ?? attrs.jid ?? '')
      if (!other) throw new QueryError(400, 'bad-request')
      if (attrs.action === 'remove') numbers.delete(other.number)
      else numbers.add(other.number)
    }
    person.privacyLists.set(name, numbers)
    person.privacy.set(name, value)
  }
  network.changed()
  const news = changed.map(({ attrs: { name, value } }) => node('category', { name, value }))
  const about = { from: pnOf(person), type: 'account_sync', id: randomId(), t: seconds() }
  tellOwnDevices(network, companion, node('notification', about, [node('privacy', {}, news)]))
  const answered = changed.map(({ attrs }) =>
    node('category', { ...attrs, dhash: listHash(person.privacyLists.get(attrs.name ?? '') ?? new Set()) }),
  )
  return [node('privacy', {}, answered)]
}

/** A stanza for every device of the account but the one that did it. */
export function tellOwnDevices(network: Network, companion: Companion, item: BinaryNode) {
  for (const other of companion.person.companions.values()) if (other !== companion) enqueue(network, other, item)
}

/** The three ways to choose who sees the status; the one in force is the default. */
const STATUS_LISTS = { contacts: 'contacts', allowlist: 'whitelist', denylist: 'blacklist' } as const

function statusPrivacy({ statusPrivacy: { setting, numbers } }: Person): BinaryNode {
  const lists = Object.entries(STATUS_LISTS).map(([name, type]) => {
    const isChosen = name === setting
    const users = isChosen ? numbers.map((number) => node('user', { jid: `${number}@${SERVER}` })) : []
    return node('list', { type, ...(isChosen ? { default: true } : {}) }, users)
  })
  return node('privacy', {}, lists)
}

/** Who is blocked, as the account knew it under this hash: nothing to send when it still does. */
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

/** Over the list that the account knew by its hash the new hash is enough; else it gets the whole list. */
const setBlocked: Answer = ({ network, companion, subject }) => {
  const { person: own } = companion
  const { jid = '', action, dhash: known } = subject.attrs
  const person = findPerson(network, jid)
  if (!person) throw new QueryError(400, 'bad-request')
  const before = listHash(own.blocklist)
  if (action === 'block') own.blocklist.add(lidJidOf(person))
  else own.blocklist.delete(lidJidOf(person))
  network.changed()
  const dhash = listHash(own.blocklist)
  const change = node('item', { jid: lidJidOf(person), action })
  const attrs = { from: pnOf(own), type: 'account_sync', id: randomId(), t: seconds() }
  const news = node('blocklist', { action: 'modify', dhash, prev_dhash: before }, [change])
  tellOwnDevices(network, companion, node('notification', attrs, [news]))
  if (known === before) return [node('list', { matched: true, dhash })]
  return [node('list', { matched: false, addressing_mode: 'lid', dhash }, blockedItems(network, own))]
}

/** Our own token for a peer: the peer's side answers with the same kind, as when both have each other's number. */
const issueTokens: Answer = ({ network, companion, subject }) => {
  for (const token of children(subject, 'token')) {
    const person = findPerson(network, token.attrs.jid ?? '')
    if (!person) continue
    hearSignal(person, {
      kind: 'token',
      type: token.attrs.type ?? '',
      from: companion.person.number,
      chat: token.attrs.jid ?? '',
      ids: [],
    })
    if (person.companions.size > 0) continue
    const attrs = { from: pnOf(person), sender_lid: lidJidOf(person), type: 'privacy_token', id: randomId(), t: seconds() }
    const given = node('token', { jid: pnOf(companion.person), t: seconds(), type: 'trusted_contact' }, randomBytes(16))
    enqueue(network, companion, node('notification', attrs, [node('tokens', {}, [given])]))
  }
  return undefined
}

const getPicture: Answer = ({ network, companion, item, subject }) => {
  const target = item.attrs.target
  const owner =
    target === undefined ? companion.person : isGroup(target) ? network.groups.get(target) : findPerson(network, target)
  if (owner) owner.pictureQueries = (owner.pictureQueries ?? 0) + 1
  if (owner && 'blockedMe' in owner && owner.blockedMe) throw new QueryError(401, 'not-authorized')
  const picture = owner?.picture
  if (!picture) throw new QueryError(404, 'item-not-found')
  const id = pictureId(picture)
  // the client has it already: nothing to tell
  if (subject.attrs.id === id) return []
  const url = pictureUrl(network, picture)
  return [node('picture', { id, type: subject.attrs.type ?? 'preview', url, direct_path: picturePath(picture) })]
}

const setPicture: Answer = ({ network, companion, item, subject }) => {
  const bytes = bytesOf(subject)
  const picture = bytes && `data:image/jpeg;base64,${bytes.toString('base64')}`
  const target = item.attrs.target
  const group = target === undefined ? undefined : network.groups.get(target)
  if (target && isGroup(target) && !group) throw new QueryError(404, 'item-not-found')
  if (group) setGroupPicture(network, group, companion.person, picture)
  else setPersonPicture(network, companion.person, picture, companion)
  return picture === undefined ? [node('picture')] : [node('picture', { id: pictureId(picture) })]
}

export const PROFILE_QUERIES: Record<string, Answer> = {
  'privacy get privacy': ({ companion, subject }) => {
    const asked = child(subject, 'list')
    return [asked ? exceptions(companion.person, asked.attrs.name ?? '') : privacyList(companion.person)]
  },
  'privacy set privacy': setPrivacy,
  'spam set spam_list': () => undefined,
  'privacy set tokens': issueTokens,
  'blocklist get *': ({ network, companion, subject }) => blocklist(network, companion.person, subject.attrs.dhash),
  'blocklist set item': setBlocked,
  'status get privacy': ({ companion }) => [statusPrivacy(companion.person)],
  'status set status': ({ network, companion, subject }) => {
    companion.person.about = textOf(subject) ?? ''
    network.changed()
    return undefined
  },
  'disappearing_mode set disappearing_mode': ({ network, companion, subject }) => {
    companion.person.defaultEphemeralSeconds = Number(subject.attrs.duration ?? 0)
    network.changed()
    return undefined
  },
  'w:profile:picture get picture': getPicture,
  'w:profile:picture set *': setPicture,
  'bot get bot': () => [node('bot', { v: 2 }, [node('section', { type: 'all' }, [])])],
}
