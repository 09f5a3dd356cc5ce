import { type BinaryNode, child, children, node, SERVER, seconds, textOf } from '../../wire/node.ts'
import { deviceIds, watchDevices } from '../devices.ts'
import { digits, parseJid } from '../jid.ts'
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
}

const PROTOCOLS: Record<string, Protocol> = {
  devices(person, { network, asker, jid }) {
    watchDevices(network, person, asker, jid !== undefined && parseJid(jid).server === 'lid' ? 'lid' : 'pn')
    return deviceList(person)
  },
  // a user queried by LID gets no mapping: the client warns about one
  lid: (person, { jid }) => (jid && parseJid(jid).server === 'lid' ? undefined : node('lid', { val: lidJidOf(person) })),
  contact: (_person, { phone }) => (phone === undefined ? undefined : node('contact', { type: 'in' }, phone)),
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

/** In the international form, which begins with a plus. */
const NUMBER = /^\+\d{5,15}$/

function answerUser(asked: Asked, protocols: string[]): BinaryNode[] {
  const { network, jid, phone } = asked
  if (phone !== undefined && !NUMBER.test(phone)) return [node('user', {}, [node('contact', { type: 'invalid' }, phone)])]
  const person =
    phone === undefined ? findPerson(network, jid ?? '') : findNumber(network, registeredForm(network, digits(phone)))
  // a number without an account is `out`, with the text of the query; a JID without one has no devices
  if (!person) {
    if (phone === undefined) return [node('user', { jid })]
    const out = protocols.includes('contact') ? [node('contact', { type: 'out' }, phone)] : []
    return [node('user', { jid: `${digits(phone)}@${SERVER}` }, out)]
  }
  const content = protocols.flatMap((name) => PROTOCOLS[name]?.(person, asked) ?? [])
  return [node('user', { jid: jid ?? pnOf(person) }, content)]
}

export const USYNC_QUERIES: Record<string, Answer> = {
  'usync get usync': ({ network, companion, subject }) => {
    const { sid, index, last, mode, context } = subject.attrs
    const protocols = children(child(subject, 'query')).map((protocol) => protocol.tag)
    for (const name of protocols) if (!PROTOCOLS[name]) network.stats.unknownQueries.push(`usync protocol ${name}`)
    const users = children(child(subject, 'list'), 'user').flatMap((user) => {
      const contact = child(user, 'contact')
      return answerUser({ network, asker: companion.person, jid: user.attrs.jid, phone: contact && textOf(contact) }, protocols)
    })
    return [node('usync', { sid, index, last, mode, context }, [node('result'), node('list', {}, users)])]
  },
}
