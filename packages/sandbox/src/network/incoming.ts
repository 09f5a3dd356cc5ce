import { type BinaryNode, bytesOf, child, children, node, seconds } from '../wire/node.ts'
import { acknowledgement } from './acknowledgement.ts'
import { tokenRefusal } from './chat-token-salt.ts'
import { companionRefusal, companionsOf } from './companions.ts'
import { deliverTo } from './deliver.ts'
import { enqueue } from './delivery.ts'
import type { Cipher, DeviceCopy } from './device-copy.ts'
import { deviceHash, deviceIds } from './devices.ts'
import { isGroup, isNewsletter, parseJid, STATUS } from './jid.ts'
import type { Companion, Group, Network, Person } from './model.ts'
import { receivePost } from './newsletters.ts'
import { type AnyDevice, devicesOf, findDevice, findPerson, jidOf, lidJidOf, pnOf, recipientAttributes } from './people.ts'

export function receiveMessage(network: Network, from: Companion, item: BinaryNode) {
  const { id = '', to = '' } = item.attrs
  const connection = from.connection
  if (isNewsletter(to)) return receivePost(network, from, item)
  const refusal = refusalOf(network, from, item) ?? companionRefusal(item)
  connection?.send(withHash(network, from, item, withLid(network, to, acknowledgement(item, refusal))))
  if (refusal !== undefined) return
  const route = (device: AnyDevice, encs: BinaryNode[]) => hand(network, from, device, item, encs)

  const own = children(item, 'enc')
  const shared = own.filter((enc) => enc.attrs.type === 'skmsg')
  const single = own.filter((enc) => enc.attrs.type !== 'skmsg')
  if (single.length > 0) {
    // A message without participants is for the account's own phone, or for the one device that requested it again.
    const target = findDevice(network, item.attrs.participant ?? to)
    if (target) route(target, single)
    return
  }
  const copies = new Map<string, { device: AnyDevice; encs: BinaryNode[] }>()
  for (const copy of children(child(item, 'participants'), 'to')) {
    const device = findDevice(network, copy.attrs.jid ?? '')
    // In a group that uses LIDs, the list includes the sender's device, which must not get a copy of its own message.
    if (device && device.companion !== from) copies.set(keyOf(device), { device, encs: children(copy, 'enc') })
  }
  if (shared.length > 0)
    for (const device of audience(network, from, to, copies)) copies.set(keyOf(device), copyFor(copies, device))
  for (const { device, encs } of copies.values()) route(device, [...encs, ...shared])
  if (id === '') network.note('a message came without id')
}

/**
 * Adds the server's hash of the devices to the ack, so that a client notices that its device lists are outdated. If a
 * 1:1 message itself has no hash, the ack gets one only if the message lacks copies for some devices.
 */
function withHash(network: Network, from: Companion, item: BinaryNode, ack: BinaryNode): BinaryNode {
  const { to = '', phash } = item.attrs
  const group = network.groups.get(to)
  const named = children(child(item, 'participants'), 'to')
  if (ack.attrs.error !== undefined || (phash === undefined && (group || named.length === 0))) return ack
  const other = group ? undefined : findPerson(network, to)
  const people = group ? [...group.members.values()].map(({ person }) => person) : other ? [other, from.person] : []
  if (people.length === 0) return ack
  const devices = [...new Set(people)].flatMap((person) => deviceIds(person).map((id) => ({ person, id })))
  const addressing = group ? group.addressing : parseJid(to).server === 'lid' ? 'lid' : 'pn'
  if (phash === undefined) {
    const known = new Set(named.map(({ attrs }) => addressOf(network, attrs.jid ?? '')))
    const isWhole = devices.every(({ person, id }) => known.has(`${person.number}.${id}`) || isSender(from, person, id))
    if (isWhole) return ack
  }
  return { ...ack, attrs: { ...ack.attrs, phash: deviceHash(devices, addressing) } }
}

const isSender = (from: Companion, person: Person, id: number) => person === from.person && id === from.device

/** Returns the address of a device, which is the same for both of its JIDs (number and LID). */
function addressOf(network: Network, jid: string): string | undefined {
  const device = findDevice(network, jid)
  return device && keyOf(device)
}

/**
 * Adds `refresh_lid` to the ack if the message was addressed to an earlier LID, so that the client queries the new one.
 */
function withLid(network: Network, to: string, ack: BinaryNode): BinaryNode {
  const { user, server } = parseJid(to)
  const person = server === 'lid' ? network.lids.get(user) : undefined
  return person && person.lid !== user ? { ...ack, attrs: { ...ack.attrs, refresh_lid: 'true' } } : ack
}

const keyOf = (device: AnyDevice) => (device.companion ?? device.pretend).address

function copyFor(copies: Map<string, { device: AnyDevice; encs: BinaryNode[] }>, device: AnyDevice) {
  return copies.get(keyOf(device)) ?? { device, encs: [] }
}

function refusalOf(network: Network, from: Companion, item: BinaryNode): number | undefined {
  const { to = '' } = item.attrs
  if (!isGroup(to)) return to === STATUS ? undefined : tokenRefusal(from, findPerson(network, to), item)
  const group = network.groups.get(to)
  if (!group) return 404
  const member = group.members.get(from.person.number)
  if (!member || group.isSuspended) return 403
  return group.announce && member.role === 'member' ? 403 : undefined
}

/** Returns the devices of a group's members, or the devices that got the key of a status. */
function audience(network: Network, from: Companion, to: string, copies: Map<string, { device: AnyDevice }>): AnyDevice[] {
  const group: Group | undefined = network.groups.get(to)
  const people = group
    ? [...group.members.values()].map((member) => member.person)
    : to === STATUS
      ? [...new Set([...copies.values()].map(({ device }) => device.person))]
      : []
  return people.flatMap((person) => devicesOf(person).filter((device) => device.companion !== from))
}

function hand(network: Network, from: Companion, device: AnyDevice, item: BinaryNode, encs: BinaryNode[]) {
  if (encs.length === 0 || device.person.blockedMe) return
  const { id = '', to = '' } = item.attrs
  if (device.companion) return enqueue(network, device.companion, forward(network, from, device.companion, item, encs))
  const deviceCopy: DeviceCopy = {
    id,
    from,
    chat: item.attrs.recipient ?? (isGroup(to) || to === STATUS ? to : chatOf(to)),
    encs: encs.map((enc) => ({ type: enc.attrs.type as Cipher, ciphertext: bytesOf(enc) ?? Buffer.alloc(0), attrs: enc.attrs })),
    isPeer: item.attrs.category === 'peer',
    count: Number(encs[0]?.attrs.count ?? 0),
    nodes: companionsOf(item),
    attrs: item.attrs,
    tags: children(item).map(({ tag }) => tag),
  }
  network.run(deliverTo(network, device.pretend, deviceCopy))
}

/** Returns the JID of the chat. A message that is sent again has an address with a device part, which is removed. */
function chatOf(to: string): string {
  const { user, server } = parseJid(to)
  return `${user}@${server}`
}

/** Builds the stanza that another linked device of this chat gets. */
function forward(network: Network, from: Companion, to: Companion, item: BinaryNode, encs: BinaryNode[]): BinaryNode {
  const { id, to: chat = '', type, edit } = item.attrs
  const sender = from.person
  const group = network.groups.get(chat)
  const common = { id, type, edit, t: seconds(), notify: sender.name }
  const identity = encs.some((enc) => enc.attrs.type === 'pkmsg') && from.deviceIdentity
  const extras = [
    ...(identity ? [node('device-identity', {}, identity)] : []),
    ...children(item, 'meta'),
    ...children(item, 'reporting'),
  ]
  if (group || chat === STATUS) {
    const isLid = group ? group.addressing === 'lid' : false
    const attrs = {
      from: chat,
      participant: jidOf(sender, isLid ? 'lid' : 'pn', from.device),
      ...(isLid ? { participant_pn: pnOf(sender) } : { participant_lid: lidJidOf(sender) }),
      addressing_mode: isLid ? 'lid' : 'pn',
    }
    return node('message', { ...attrs, ...common }, [...encs, ...extras])
  }
  if (to.person === sender) {
    const own = recipientAttributes(network, item.attrs.recipient ?? chat)
    return node('message', { from: pnOf(sender, from.device), ...own, ...common }, [...encs, ...extras])
  }
  const isLid = parseJid(chat).server === 'lid'
  const fromJid = jidOf(sender, isLid ? 'lid' : 'pn', from.device)
  const other = isLid ? { sender_pn: pnOf(sender), addressing_mode: 'lid' } : { sender_lid: lidJidOf(sender) }
  return node('message', { from: fromJid, ...other, ...common }, [...encs, ...extras])
}
