import { type BinaryNode, firstChild, node } from '../wire/node.ts'
import { isGroup, parseJid } from './jid.ts'
import type { Companion, Network, Person } from './model.ts'
import { addSignal, findPerson, jidOf } from './people.ts'

export type PresenceState = 'available' | 'unavailable' | 'composing' | 'recording' | 'paused'

/** Handles the presence of a client. It is not queued, so a subscriber that is offline misses it. */
export function receivePresence(network: Network, companion: Companion, item: BinaryNode) {
  const { type, to, name } = item.attrs
  if (type === 'subscribe' && to) {
    const person = findPerson(network, to)
    if (!person) return
    const addressing = parseJid(to).server === 'lid' ? 'lid' : 'pn'
    person.subscribers.set(companion, addressing)
    companion.connection?.send(presenceOf(person, addressing))
    return
  }
  if (type === 'available' || type === 'unavailable') showAvailability(companion, type === 'available')
  if (name) companion.person.name = name
}

/** Changes the availability of a device. An account is available while one of its devices is. */
export function showAvailability(companion: Companion, isAvailable: boolean) {
  const { person } = companion
  const before = person.presence
  companion.isAvailable = isAvailable
  person.presence = [...person.companions.values()].some((each) => each.isAvailable) ? 'available' : 'unavailable'
  if (person.presence === before) return
  if (person.presence === 'unavailable') person.lastSeen = Math.floor(Date.now() / 1000)
  for (const [other, addressing] of person.subscribers) other.connection?.send(presenceOf(person, addressing))
}

function presenceOf(person: Person, addressing: 'lid' | 'pn'): BinaryNode {
  const isAway = person.presence === 'unavailable'
  const last = person.lastSeen > 0 ? String(person.lastSeen) : 'deny'
  return node('presence', { from: jidOf(person, addressing), ...(isAway ? { type: 'unavailable', last } : {}) })
}

/** Informs the other members of a chat that the client has started or stopped typing. */
export function receiveChatState(network: Network, companion: Companion, item: BinaryNode) {
  const { to = '' } = item.attrs
  const state = firstChild(item)
  if (!state) return
  const type = state.attrs.media === 'audio' ? 'recording' : state.tag
  for (const person of audienceOf(network, companion.person, to)) {
    addSignal(person, { kind: 'chatstate', type, from: companion.person.number, chat: to, ids: [] })
    sendChatState(network, companion.person, person, to, state)
  }
}

function audienceOf(network: Network, from: Person, to: string): Person[] {
  if (!isGroup(to)) {
    const person = findPerson(network, to)
    return person ? [person] : []
  }
  const members = [...(network.groups.get(to)?.members.values() ?? [])]
  return members.map((member) => member.person).filter((person) => person !== from)
}

function sendChatState(network: Network, from: Person, to: Person, chat: string, state: BinaryNode) {
  const group = network.groups.get(chat)
  const own = jidOf(from, group ? group.addressing : network.settings.addressing)
  const attrs = group ? { from: chat, participant: own } : { from: own }
  for (const { connection } of to.companions.values()) connection?.send(node('chatstate', attrs, [state]))
}

/** Makes a simulated person go online, go offline, or type. */
export function showPresence(network: Network, person: Person, to: string, state: PresenceState) {
  const audience = audienceOf(network, person, to)
  if (state === 'available' || state === 'unavailable') {
    person.presence = state
    if (state === 'unavailable') person.lastSeen = Math.floor(Date.now() / 1000)
    const stanza = presenceOf(person, network.settings.addressing)
    for (const other of audience) for (const { connection } of other.companions.values()) connection?.send(stanza)
    return audience.length > 0
  }
  const child = state === 'paused' ? node('paused') : node('composing', state === 'recording' ? { media: 'audio' } : {})
  for (const other of audience) sendChatState(network, person, other, to, child)
  return audience.length > 0
}
