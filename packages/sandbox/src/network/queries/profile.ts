import { randomBytes } from 'node:crypto'
import { type BinaryNode, bytesOf, children, node, randomId, SERVER, seconds, textOf } from '../../wire/node.ts'
import { enqueue } from '../delivery.ts'
import { setGroupPicture } from '../group-settings.ts'
import { mayEdit } from '../groups.ts'
import { isGroup } from '../jid.ts'
import type { Person } from '../model.ts'
import { addSignal, findPerson, lidJidOf, pnOf, setAbout } from '../people.ts'
import { pictureId, picturePath, pictureUrl, setPersonPicture } from '../pictures.ts'
import type { Answer } from './query.ts'
import { QueryError } from './query.ts'

/** Names of the audiences of a status, as in stanzas. An answer marks the current audience as the default. */
const STATUS_LISTS = { contacts: 'contacts', allowlist: 'whitelist', denylist: 'blacklist' } as const

function statusPrivacy({ statusPrivacy: { setting, numbers } }: Person): BinaryNode {
  const lists = Object.entries(STATUS_LISTS).map(([name, type]) => {
    const isChosen = name === setting
    const users = isChosen ? numbers.map((number) => node('user', { jid: `${number}@${SERVER}` })) : []
    return node('list', { type, ...(isChosen ? { default: true } : {}) }, users)
  })
  return node('privacy', {}, lists)
}

/** Records the tokens that an account gives to people. A contact gives a token in return. */
const issueTokens: Answer = ({ network, companion, subject }) => {
  for (const token of children(subject, 'token')) {
    const person = findPerson(network, token.attrs.jid ?? '')
    if (!person) continue
    addSignal(person, {
      kind: 'token',
      type: token.attrs.type ?? '',
      from: companion.person.number,
      chat: token.attrs.jid ?? '',
      ids: [],
    })
    // Accounts with linked devices, and people who refuse messages of strangers, give no token in return.
    if (person.companions.size > 0 || person.needsToken) continue
    const attrs = { from: pnOf(person), sender_lid: lidJidOf(person), type: 'privacy_token', id: randomId(), t: seconds() }
    const secret = randomBytes(16)
    person.trusted ??= new Map()
    person.trusted.set(companion.person.number, secret.toString('hex'))
    const given = node('token', { jid: pnOf(companion.person), t: seconds(), type: 'trusted_contact' }, secret)
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
  // The client already has this picture, so the answer contains none.
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
  if (group && !mayEdit(group, companion.person)) throw new QueryError(403, 'forbidden')
  if (group?.isSuspended) throw new QueryError(423, 'locked')
  if (group) setGroupPicture(network, group, companion.person, picture)
  else setPersonPicture(network, companion.person, picture, companion)
  return picture === undefined ? [node('picture')] : [node('picture', { id: pictureId(picture) })]
}

const ASSISTANT = { jid: '13135550002@s.whatsapp.net', persona_id: '867051314767696$760019659443059' }

function bots(version: '2' | '3'): BinaryNode {
  const isNewer = version === '3'
  const section = node('section', { type: 'all', name: 'All', ...(isNewer ? { display_type: 'listview' } : {}) }, [
    node('bot', ASSISTANT),
  ])
  return node('bot', { v: version, ...(isNewer ? { bhash: 'sim' } : {}) }, [node('default', ASSISTANT), section])
}

export const PROFILE_QUERIES: Record<string, Answer> = {
  'privacy set tokens': issueTokens,
  'status get privacy': ({ companion }) => [statusPrivacy(companion.person)],
  'status set status': ({ network, companion, subject }) => {
    setAbout(companion.person, textOf(subject) ?? '')
    network.changed()
    return undefined
  },
  'w:profile:picture get picture': getPicture,
  'w:profile:picture set *': setPicture,
  'bot get bot': ({ subject }) => [bots(subject.attrs.v === '3' ? '3' : '2')],
}
