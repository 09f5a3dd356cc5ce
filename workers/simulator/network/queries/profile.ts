import { createHash, randomBytes } from 'node:crypto'
import { type BinaryNode, bytesOf, children, node, randomId, seconds, textOf } from '../../wire/node.ts'
import { enqueue } from '../delivery.ts'
import { isGroup } from '../jid.ts'
import type { Companion, Network, Person } from '../model.ts'
import { findPerson, hearSignal, lidJidOf, pnOf } from '../people.ts'
import { setGroupPicture } from './groups.ts'
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

/** A stanza for every device of the account but the one that did it. */
export function tellOwnDevices(network: Network, companion: Companion, item: BinaryNode) {
  for (const other of companion.person.companions.values()) if (other !== companion) enqueue(network, other, item)
}

function blocklist(person: Person): BinaryNode[] {
  return [
    node(
      'list',
      {},
      [...person.blocklist].map((jid) => node('item', { jid })),
    ),
  ]
}

const setBlocked: Answer = ({ network, companion, subject }) => {
  const person = findPerson(network, subject.attrs.jid ?? '')
  if (!person) throw new QueryError(404, 'item-not-found')
  const action = subject.attrs.action
  if (action === 'block') companion.person.blocklist.add(lidJidOf(person))
  else companion.person.blocklist.delete(lidJidOf(person))
  network.changed()
  const change = node('item', { jid: lidJidOf(person), action })
  const attrs = { from: pnOf(companion.person), type: 'account_sync', id: randomId(), t: seconds() }
  tellOwnDevices(network, companion, node('notification', attrs, [node('blocklist', {}, [change])]))
  return blocklist(companion.person)
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

/** The picture's own bytes name it; where they are is the media host's business. */
function pictureId(picture: string): string {
  return String(createHash('sha256').update(picture).digest().readUInt32BE(0))
}

const getPicture: Answer = ({ network, companion, item, subject }) => {
  const target = item.attrs.target
  const owner =
    target === undefined ? companion.person : isGroup(target) ? network.groups.get(target) : findPerson(network, target)
  const picture = owner?.picture
  if (!picture) throw new QueryError(404, 'item-not-found')
  const id = pictureId(picture)
  const path = `/pps/${id}.jpg`
  const url = picture.startsWith('http') ? picture : `https://${network.mediaHost ?? '127.0.0.1'}${path}`
  return [node('picture', { id, type: subject.attrs.type ?? 'preview', url, direct_path: path })]
}

const setPicture: Answer = ({ network, companion, item, subject }) => {
  const bytes = bytesOf(subject)
  const picture = bytes && `data:image/jpeg;base64,${bytes.toString('base64')}`
  const target = item.attrs.target
  if (target && isGroup(target)) setGroupPicture(network, target, companion.person, picture)
  else companion.person.picture = picture
  network.changed()
  return picture === undefined ? [node('picture')] : [node('picture', { id: pictureId(picture) })]
}

export const PROFILE_QUERIES: Record<string, Answer> = {
  'privacy get privacy': ({ companion }) => [privacyList(companion.person)],
  'privacy set privacy': ({ network, companion, subject }) => {
    const changed = children(subject, 'category')
    for (const { attrs } of changed) companion.person.privacy.set(attrs.name ?? '', attrs.value ?? '')
    network.changed()
    return [node('privacy', {}, changed)]
  },
  'privacy set tokens': issueTokens,
  'blocklist get *': ({ companion }) => blocklist(companion.person),
  'blocklist set item': setBlocked,
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
