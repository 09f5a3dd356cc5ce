import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { ControlError } from '../control/control-error.ts'
import type { Damage } from '../control/schemas/people.ts'
import type { Composed } from '../people/compose.ts'
import { describe, stanzaOf } from '../people/describe.ts'
import { type BinaryNode, node, randomId, seconds } from '../wire/node.ts'
import { pad } from '../wire/padding.ts'
import { enqueue } from './delivery.ts'
import { digits, isGroup, STATUS } from './jid.ts'
import type { Companion, Group, Message, Network, Person, PretendDevice } from './model.ts'
import { findNumber, jidOf, lidJidOf, pnOf, recipientAttributes } from './people.ts'
import { takeBundle } from './queries/keys.ts'
import { corrupted } from './transmit.ts'

/** Value in place of a chat, for messages that a phone sends to its own devices. */
const PEER = 'peer'
/** Maximum number of a person's sent messages that are kept for devices that request them again. */
const REMEMBERED = 4_000

export interface SendAsOptions {
  id?: string | undefined
  /** Recipients of a status; by default all people with a linked device. */
  audience?: Person[]
  about?: Omit<Composed, 'message'>
  /** The type of the `<unavailable>` node that linked devices receive in place of the content. */
  unavailable?: string | undefined
  damage?: Damage | undefined
  /**
   * Called for each linked device, in order, with a function that sends the encrypted stanza. By default it is sent at
   * once.
   */
  leave?: ((send: () => void) => void) | undefined
}

/**
 * Sends a message to a chat. It is encrypted for every linked device that must receive it, in the order in which this
 * function is called.
 */
export async function sendAs(network: Network, from: Person, to: string, message: Message, options: SendAsOptions = {}) {
  const id = options.id ?? newMessageId()
  const device = from.devices[0]!
  const bytes = proto.Message.encode(message).finish()
  remember(from, id, isGroup(to) || to === STATUS ? to : digits(to), bytes)
  const { unavailable, damage, leave } = options
  const about = options.about ?? stanzaOf(message)
  const outgoing: Outgoing = { id, about, bytes, message, count: undefined, unavailable, damage, leave }
  if (to === STATUS) await device.turn(() => toStatus(network, device, outgoing, options.audience))
  else if (isGroup(to)) await device.turn(() => toGroup(network, device, groupOf(network, from, to), outgoing))
  else await device.turn(() => toPerson(network, device, personOf(network, to), outgoing))
  network.changed()
  return { id }
}

interface Outgoing {
  id: string
  /** Attributes of the stanza that depend on the content: type, edit and meta. */
  about: Omit<Composed, 'message'>
  bytes: Uint8Array
  message: Message
  /** The retry count. It is set if the message is sent again. */
  count: number | undefined
  unavailable?: string | undefined
  damage?: SendAsOptions['damage']
  leave?: SendAsOptions['leave']
}

export function newMessageId(): string {
  return `3A${randomId()}${randomId().slice(0, 2)}`
}

function remember(from: Person, id: string, chat: string, message: Uint8Array) {
  from.sent.set(id, { chat, message })
  if (from.sent.size > REMEMBERED) from.sent.delete(from.sent.keys().next().value ?? '')
}

function personOf(network: Network, to: string): Person {
  const person = findNumber(network, digits(to))
  if (!person) throw new ControlError('not_found', `${to} is not on the network`)
  return person
}

function groupOf(network: Network, from: Person, to: string): Group {
  const group = network.groups.get(to)
  if (!group) throw new ControlError('not_found', `there is no group ${to}`)
  if (!group.members.has(from.number)) throw new ControlError('conflict', `${from.number} is not in ${to}`)
  return group
}

async function seal(
  network: Network,
  device: PretendDevice,
  to: Companion,
  bytes: Uint8Array,
  { about, count, damage }: Partial<Outgoing> = {},
): Promise<BinaryNode> {
  const { signal } = device
  if (!signal.hasSession(to.address)) await signal.openSession(to.address, takeBundle(network, to))
  const { type, ciphertext } = await signal.encrypt(to.address, padded(bytes, damage))
  return node('enc', { v: 2, type, mediatype: about?.mediaType, count }, ciphertext)
}

/** Number of padding bytes that is larger than every valid number, and than the length of a short message. */
const TOO_MUCH_PADDING = 255

function padded(bytes: Uint8Array, damage: Damage | undefined): Buffer {
  if (damage === 'padding') return Buffer.concat([bytes.subarray(0, TOO_MUCH_PADDING - 1), Buffer.from([TOO_MUCH_PADDING])])
  // The damaged content consists of bytes 0xff, which begin a field of a type that does not exist in protobuf.
  return pad(damage === 'content' ? Buffer.alloc(24, 0xff) : bytes)
}

const REPLAYABLE = 50

/** Sends a stanza to a linked device, and keeps it for `replay`. It is corrupted if the control API requested this. */
function deliverTo(
  network: Network,
  from: Person,
  to: Companion,
  item: BinaryNode,
  { damage, leave }: Pick<Outgoing, 'damage' | 'leave'>,
) {
  const stanza = damage === 'ciphertext' ? corrupted(item) : item
  const { id = '' } = stanza.attrs
  from.replayable.set(id, [...(from.replayable.get(id) ?? []), { to, stanza }])
  if (from.replayable.size > REPLAYABLE) from.replayable.delete(from.replayable.keys().next().value ?? '')
  const send = () => enqueue(network, to, stanza)
  if (leave) leave(send)
  else send()
}

/** Sends every stanza of a message again with the same ciphertext, and returns their number. */
export function replay(network: Network, from: Person, id: string, as = id): number {
  const stanzas = from.replayable.get(id) ?? []
  if (stanzas.length === 0) throw new ControlError('not_found', `${from.number} sent no message ${id} to a linked device lately`)
  for (const { to, stanza } of stanzas) enqueue(network, to, { ...stanza, attrs: { ...stanza.attrs, id: as } })
  return stanzas.length
}

async function toPerson(network: Network, device: PretendDevice, to: Person, outgoing: Outgoing) {
  const from = device.person
  // A person who has blocked the sender receives nothing. The sender is not told: the own devices get their copy.
  if (!to.blocklist.has(lidJidOf(from))) await toRecipient(network, device, to, outgoing)
  const chat = jidOf(to, network.settings.addressing)
  const sent = proto.Message.encode({ deviceSentMessage: { destinationJid: chat, message: outgoing.message } }).finish()
  for (const companion of to === from ? [] : from.companions.values()) {
    const enc = await seal(network, device, companion, sent, outgoing)
    deliverTo(network, from, companion, directStanza(network, device, outgoing, [enc], chat), outgoing)
  }
}

async function toRecipient(network: Network, device: PretendDevice, to: Person, outgoing: Outgoing) {
  const from = device.person
  for (const companion of to.companions.values()) {
    const { unavailable: type } = outgoing
    const content = type ? node('unavailable', { type }) : await seal(network, device, companion, outgoing.bytes, outgoing)
    deliverTo(network, from, companion, directStanza(network, device, outgoing, [content]), outgoing)
  }
  if (to !== from) recordFor(to, from, outgoing, pnOf(from))
}

function directStanza(
  network: Network,
  device: PretendDevice,
  outgoing: Outgoing,
  content: BinaryNode[],
  recipient?: string,
): BinaryNode {
  const { person } = device
  const about = facts(outgoing, person)
  if (recipient !== undefined) {
    const own = recipientAttributes(network, recipient)
    return node('message', { from: pnOf(person, device.id), ...own, ...about }, withMeta(outgoing, content))
  }
  const isLid = network.settings.addressing === 'lid'
  const other = isLid ? { sender_pn: pnOf(person), addressing_mode: 'lid' } : { sender_lid: lidJidOf(person) }
  const from = jidOf(person, network.settings.addressing, device.id)
  return node('message', { from, ...other, ...about }, withMeta(outgoing, content))
}

function facts({ id, about }: Outgoing, { name }: Person) {
  return { id, type: about.type, edit: about.edit, t: seconds(), notify: name }
}

function withMeta({ about }: Outgoing, content: BinaryNode[]): BinaryNode[] {
  return about.meta ? [...content, node('meta', about.meta)] : content
}

function recordFor(to: Person, from: Person, { id, message }: Outgoing, chat: string) {
  if (to.isSink) return
  const { kind, text, media } = describe(message)
  const plain = proto.Message.fromObject(message).toJSON()
  to.inbox.add({ id, from: from.number, chat, at: new Date().toISOString(), kind, text, proto: plain, media, retries: 0 })
}

async function toGroup(network: Network, device: PretendDevice, group: Group, outgoing: Outgoing) {
  const people = [...group.members.values()].map((member) => member.person)
  await toMany(network, device, group.id, people, group.addressing, outgoing, keyHoldersOf(group, device))
  for (const person of people) if (person !== device.person) recordFor(person, device.person, outgoing, group.id)
}

function keyHoldersOf(group: Group, device: PretendDevice): Set<string> {
  const known = group.keyHolders.get(device.address) ?? new Set<string>()
  group.keyHolders.set(device.address, known)
  return known
}

async function toStatus(network: Network, device: PretendDevice, outgoing: Outgoing, audience?: Person[]) {
  const people = audience ?? [...network.people.values()].filter((person) => person.companions.size > 0)
  await toMany(network, device, STATUS, people, 'pn', outgoing, new Set())
}

async function toMany(
  network: Network,
  device: PretendDevice,
  chat: string,
  people: Person[],
  addressing: 'lid' | 'pn',
  outgoing: Outgoing,
  holders: Set<string>,
) {
  const { signal } = device
  const companions = people.flatMap((person) => [...person.companions.values()])
  if (companions.length === 0) return
  if (outgoing.unavailable) {
    const content = [node('unavailable', { type: outgoing.unavailable })]
    for (const companion of companions) enqueue(network, companion, groupStanza(device, chat, addressing, outgoing, content))
    return
  }
  // The sender key is read first, so that a device that gets it can decrypt this message and later ones.
  const key = await distribution(device, chat)
  const shared = node(
    'enc',
    { v: 2, type: 'skmsg', mediatype: outgoing.about.mediaType },
    await signal.encryptGroup(chat, padded(outgoing.bytes, outgoing.damage)),
  )
  for (const companion of companions) {
    const copy = holders.has(companion.address) ? [] : [await seal(network, device, companion, key)]
    holders.add(companion.address)
    // Only the content is damaged, and not the sender key.
    const spoilt = outgoing.damage === 'ciphertext' ? corrupted(node('message', {}, [shared])).content : [shared]
    const stanza = groupStanza(device, chat, addressing, outgoing, [...copy, ...(spoilt as BinaryNode[])])
    deliverTo(network, device.person, companion, stanza, { leave: outgoing.leave })
  }
}

async function distribution(device: PretendDevice, chat: string, message: Message = {}): Promise<Uint8Array> {
  const axolotlSenderKeyDistributionMessage = await device.signal.senderKey(chat)
  const senderKeyDistributionMessage = { groupId: chat, axolotlSenderKeyDistributionMessage }
  return proto.Message.encode({ ...message, senderKeyDistributionMessage }).finish()
}

function groupStanza(
  device: PretendDevice,
  chat: string,
  addressing: 'lid' | 'pn',
  outgoing: Outgoing,
  content: BinaryNode[],
): BinaryNode {
  const { person } = device
  const attrs = {
    from: chat,
    participant: jidOf(person, addressing, device.id),
    ...(addressing === 'lid' ? { participant_pn: pnOf(person) } : { participant_lid: lidJidOf(person) }),
    addressing_mode: addressing,
  }
  return node('message', { ...attrs, ...facts(outgoing, person) }, withMeta(outgoing, content))
}

/** Sends a message again with the same id to one device, in a new encryption session. */
export async function sendAgain(
  network: Network,
  device: PretendDevice,
  to: Companion,
  id: string,
  count: number,
  open: () => Promise<void>,
) {
  const remembered = device.person.sent.get(id)
  if (!remembered) return network.note(`${to.address} asked again for ${id}, which ${device.address} does not know`)
  await device.turn(async () => {
    await open()
    const message = proto.Message.decode(remembered.message)
    const outgoing: Outgoing = { id, about: stanzaOf(message), bytes: remembered.message, message, count }
    const { chat } = remembered
    if (chat === PEER) return enqueue(network, to, await peerStanza(network, device, to, id, remembered.message, { count }))
    if (isGroup(chat) || chat === STATUS) {
      const addressing = network.groups.get(chat)?.addressing ?? 'pn'
      const enc = await seal(network, device, to, await distribution(device, chat, message), outgoing)
      return enqueue(network, to, groupStanza(device, chat, addressing, outgoing, [enc]))
    }
    const isOwn = to.person === device.person
    const recipient = isOwn ? jidOf(personOf(network, chat), network.settings.addressing) : undefined
    const own = isOwn
      ? proto.Message.encode({ deviceSentMessage: { destinationJid: recipient, message } }).finish()
      : outgoing.bytes
    enqueue(network, to, directStanza(network, device, outgoing, [await seal(network, device, to, own, outgoing)], recipient))
  })
  network.changed()
}

/**
 * Sends a message from a phone to its linked device, outside of any chat. If the device requests it again, `sendAgain`
 * sends it.
 */
export async function sendToOwnDevice(
  network: Network,
  device: PretendDevice,
  to: Companion,
  message: Message,
  { id = newMessageId(), damage }: Pick<SendAsOptions, 'id' | 'damage'> = {},
) {
  const bytes = proto.Message.encode(message).finish()
  remember(device.person, id, PEER, bytes)
  await device.turn(async () => {
    const stanza = await peerStanza(network, device, to, id, bytes, { damage })
    enqueue(network, to, damage === 'ciphertext' ? corrupted(stanza) : stanza)
  })
  network.changed()
}

async function peerStanza(
  network: Network,
  device: PretendDevice,
  to: Companion,
  id: string,
  bytes: Uint8Array,
  more: Partial<Outgoing>,
): Promise<BinaryNode> {
  const attrs = { from: pnOf(device.person), id, type: 'text', category: 'peer', t: seconds() }
  return node('message', attrs, [await seal(network, device, to, bytes, more)])
}
