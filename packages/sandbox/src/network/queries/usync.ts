import { type BinaryNode, child, children, node, SERVER, seconds, textOf } from '../../wire/node.ts'
import { deviceIds, watchDevices } from '../devices.ts'
import { parseJid } from '../jid.ts'
import type { Network, Person } from '../model.ts'
import { findNumber, findPerson, lidJidOf, pnOf, registeredForm, textStatusOf } from '../people.ts'
import { pictureId } from '../pictures.ts'
import { verifiedName } from './account.ts'
import type { Answer } from './query.ts'

function deviceList(person: Person): BinaryNode {
  const list = deviceIds(person).map((id) => node('device', id === 0 ? { id } : { id, 'key-index': id }))
  return node('devices', {}, [node('device-list', {}, list), node('key-index-list', { ts: seconds() }, Buffer.from([1]))])
}

type Protocol = (person: Person, user: Asked) => BinaryNode | undefined

interface Asked {
  network: Network
  asker: Person
  jid: string | undefined
  phone: string | undefined
  username: string | undefined
  pin: string | undefined
}

const PROTOCOLS: Record<string, Protocol> = {
  devices(person, { network, asker, jid }) {
    watchDevices(network, person, asker, jid !== undefined && parseJid(jid).server === 'lid' ? 'lid' : 'pn')
    return deviceList(person)
  },
  // If a user was queried by LID, the answer contains no LID, because a client would log a warning about it.
  lid: (person, { jid }) => (jid && parseJid(jid).server === 'lid' ? undefined : node('lid', { val: lidJidOf(person) })),
  contact: (_person, { phone, username }) => contactNode('in', { phone, username }),
  status: (person) =>
    person.blockedMe ? node('status', { code: 401, type: 'fail' }) : node('status', { t: person.aboutAt }, person.about ?? ''),
  disappearing_mode: (person) => node('disappearing_mode', { duration: person.defaultEphemeralSeconds, t: seconds() }),
  picture: ({ picture }) => (picture === undefined ? undefined : node('picture', { id: pictureId(picture) })),
  text_status(person) {
    const status = person.blockedMe ? undefined : textStatusOf(person)
    if (!status) return undefined
    const attrs = { text: status.text ?? undefined, ephemeral_duration_sec: status.duration, last_update_time: status.at }
    return node('text_status', attrs, status.emoji === null ? undefined : [node('emoji', { content: status.emoji })])
  },
  business: (person) => (person.business ? node('business', {}, [verifiedName(person)]) : undefined),
  bot: () => undefined,
  username: ({ username }) => (username === undefined ? undefined : node('username', {}, username)),
}

/** Builds the node that repeats the queried number or user name. Returns undefined if the user was queried by JID. */
function contactNode(type: 'in' | 'out' | 'invalid', { phone, username }: Pick<Asked, 'phone' | 'username'>) {
  if (phone === undefined && username === undefined) return undefined
  return node('contact', { type, username }, phone)
}

/**
 * Matches an international number: `+49170…` (the web client, Baileys, zapo), `+49170…@c.us` (whatsmeow),
 * `+49170…@s.whatsapp.net` (older Baileys), also with spaces and hyphens.
 */
const NUMBER = /^\+([\d ().-]+)(:\d+)?(@(c\.us|s\.whatsapp\.net))?$/
const DIGITS = /^\d{5,15}$/

function numberIn(phone: string): string | undefined {
  const number = NUMBER.exec(phone)?.[1]?.replace(/\D/g, '')
  return number !== undefined && DIGITS.test(number) ? number : undefined
}

/**
 * Answers whether a number or a user name has an account. If the type of the answer is not `in`, clients conclude that
 * it has none.
 */
function answerContact(asked: Asked, protocols: BinaryNode[]): BinaryNode {
  const { network, jid, phone, username, pin } = asked
  const number = phone === undefined ? undefined : numberIn(phone)
  if (phone !== undefined && number === undefined) return node('user', {}, [contactNode('invalid', { phone, username })!])
  const person =
    number === undefined
      ? [...network.people.values()].find((one) => one.username === username)
      : findNumber(network, registeredForm(network, number))
  const contact = protocols.find(({ tag }) => tag === 'contact')
  if (!person) {
    const attrs = number === undefined ? {} : { jid: `${number}@${SERVER}` }
    return node('user', attrs, contact ? [contactNode('out', { phone, username })!] : [])
  }
  // The account exists, but the key for its user name is missing or wrong.
  if (number === undefined && (person.usernameKey ?? pin) !== pin) return node('user', {}, [node('contact', { username })])
  const isByLid = contact?.attrs.addressing_mode === 'lid'
  const attrs = isByLid ? { jid: lidJidOf(person), pn_jid: pnOf(person) } : { jid: jid ?? pnOf(person) }
  return node('user', attrs, answersAbout(person, asked, protocols))
}

const answersAbout = (person: Person, asked: Asked, protocols: BinaryNode[]) =>
  protocols.flatMap(({ tag }) => PROTOCOLS[tag]?.(person, asked) ?? [])

function answerUser(asked: Asked, protocols: BinaryNode[]): BinaryNode {
  const { network, jid, phone, username } = asked
  if (phone !== undefined || username !== undefined) return answerContact(asked, protocols)
  const person = findPerson(network, jid ?? '')
  // If there is no account, the answer contains no devices.
  return node('user', { jid }, person && answersAbout(person, asked, protocols))
}

export const USYNC_QUERIES: Record<string, Answer> = {
  'usync get usync': ({ network, companion, subject }) => {
    const { sid, index, last, mode, context } = subject.attrs
    const protocols = children(child(subject, 'query'))
    for (const { tag } of protocols) if (!PROTOCOLS[tag]) network.stats.unknownQueries.push(`usync protocol ${tag}`)
    const users = children(child(subject, 'list'), 'user').map((user) => {
      const contact = child(user, 'contact')
      const { username, pin } = contact?.attrs ?? {}
      const phone = contact && username === undefined ? textOf(contact) : undefined
      return answerUser({ network, asker: companion.person, jid: user.attrs.jid, phone, username, pin }, protocols)
    })
    return [node('usync', { sid, index, last, mode, context }, [node('result'), node('list', {}, users)])]
  },
}
