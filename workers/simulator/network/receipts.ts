import { type BinaryNode, child, childBytes, children, node, readBigEndian, seconds } from '../wire/node.ts'
import { enqueue, receiptIds, settleByReceipt, settleCall } from './delivery.ts'
import { isGroup, parseJid, STATUS } from './jid.ts'
import { answerMediaRetry } from './media-retry.ts'
import type { Companion, Letter, Network, Person, PretendDevice } from './model.ts'
import { findDevice, findPerson, hearSignal, jidOf } from './people.ts'
import { signedKeyOf, takeBundle } from './queries/keys.ts'
import { speakAgain } from './speaking.ts'

/** Receipts that say something to the own account only. */
const PRIVATE_TYPES = new Set(['sender', 'peer_msg', 'hist_sync', 'read-self', 'played-self'])
/** Somebody looked: the account's other devices need not show it as new any more. */
const OWN_READS = new Set(['read', 'played', 'read-self', 'played-self'])

/** A receipt of a linked device: settles what it was sent, and is passed on to whom it concerns. */
export function receiveReceipt(network: Network, companion: Companion, item: BinaryNode) {
  const ids = receiptIds(item)
  const { type = '', to = '', participant } = item.attrs
  if (type === 'retry') return receiveRetry(network, companion, item)
  if (type === 'server-error') return answerMediaRetry(network, companion, item)
  // a call that rings is settled this way, too
  if (child(item, 'offer') ?? child(item, 'accept') ?? child(item, 'reject')) return settleCall(network, companion, ids)
  settleByReceipt(network, companion, ids)
  if (OWN_READS.has(type)) tellOwnDevices(network, companion, item, ids)
  if (PRIVATE_TYPES.has(type)) return
  const device = findDevice(network, participant ?? to)
  if (!device) return
  // the sender is told "delivered" whether or not somebody looks at the linked device
  const told = type === 'inactive' ? undefined : type || undefined
  if (device.pretend) {
    hearSignal(device.person, { kind: 'receipt', type: told ?? 'delivered', from: companion.person.number, chat: to, ids })
  }
  const isLid = parseJid(participant ?? to).server === 'lid'
  const own = jidOf(companion.person, isLid ? 'lid' : 'pn')
  const where = participant ? { from: to, participant: own } : { from: own }
  sendReceipt(network, device.person, { ...where, type: told }, ids)
}

/** What one device of an account has read is told to its other devices: from the account itself, with the chat it is in. */
function tellOwnDevices(network: Network, companion: Companion, item: BinaryNode, ids: string[]) {
  const { person, device } = companion
  const { type, to = '', participant } = item.attrs
  const isLid = parseJid(to).server === 'lid'
  const where = participant
    ? { from: to, participant: jidOf(person, parseJid(participant).server === 'lid' ? 'lid' : 'pn') }
    : { from: jidOf(person, isLid ? 'lid' : 'pn', device), recipient: to }
  sendReceipt(network, person, { ...where, type }, ids, companion)
}

function sendReceipt(network: Network, to: Person, attrs: Record<string, string | undefined>, ids: string[], except?: Companion) {
  const [id, ...more] = ids
  const content =
    more.length > 0
      ? [
          node(
            'list',
            {},
            more.map((other) => node('item', { id: other })),
          ),
        ]
      : undefined
  for (const companion of to.companions.values()) {
    if (companion !== except) enqueue(network, companion, node('receipt', { ...attrs, id, t: seconds() }, content))
  }
}

/** The client could not read a message: whoever sent it sends it again. */
function receiveRetry(network: Network, companion: Companion, item: BinaryNode) {
  const { id = '', to = '', participant } = item.attrs
  const device = findDevice(network, participant ?? to)
  // the copy it could not read is settled; a nack about it follows
  if (companion.pending.delete(`message ${id}`)) companion.nacksToIgnore.add(id)
  network.changed()
  if (!device) return
  if (device.companion) {
    const own = jidOf(companion.person, parseJid(participant ?? to).server === 'lid' ? 'lid' : 'pn', companion.device)
    const where = isGroup(to) ? { from: to, participant: own } : { from: own }
    return enqueue(network, device.companion, node('receipt', { id, type: 'retry', t: seconds(), ...where }, children(item)))
  }
  const count = Number(child(item, 'retry')?.attrs.count ?? 1)
  const { pretend } = device
  network.run(speakAgain(network, pretend, companion, id, count, () => openFromRetry(network, pretend, companion, item)))
}

async function openFromRetry(network: Network, device: PretendDevice, companion: Companion, item: BinaryNode) {
  const keys = child(item, 'keys')
  const signedPreKey = signedKeyOf(child(keys, 'skey'))
  const identity = childBytes(keys, 'identity')
  const registration = childBytes(item, 'registration')
  // the former session is archived, not forgotten: messages under it may be on their way
  if (!signedPreKey || !identity || !registration) {
    return device.signal.openSession(companion.address, takeBundle(network, companion))
  }
  const preKeyNode = child(keys, 'key')
  const preKeyId = childBytes(preKeyNode, 'id')
  const publicKey = childBytes(preKeyNode, 'value')
  const preKey = preKeyId && publicKey ? { preKey: { id: readBigEndian(preKeyId), publicKey } } : {}
  const registrationId = readBigEndian(registration)
  return device.signal.openSession(companion.address, { registrationId, identity, signedPreKey, ...preKey })
}

/** What a person's phone says about a message: delivered when it has it, read when somebody looked. */
export function sendReceiptsFor(network: Network, person: Person, letter: Letter) {
  const { receipts, receipt_delay_ms: delayMs } = network.settings
  // nobody holds the phone of an account that linked devices look after: it reads only what it was told to
  const byItself = person.companions.size > 0 && receipts === 'read' ? 'delivered' : receipts
  const mode = person.receipts ?? byItself
  if (mode === 'none' || letter.isPeer) return
  const attrs = whereFrom(network, person, letter.chat)
  const say = (type?: string) => sendReceipt(network, letter.from.person, { ...attrs, type }, [letter.id])
  if (mode === 'delivered') return network.later(delayMs, () => say())
  say()
  network.later(delayMs, () => say('read'))
}

/** In the addressing the message had. */
function whereFrom(network: Network, person: Person, chat: string): Record<string, string> {
  if (chat === STATUS) return { from: chat, participant: jidOf(person, 'pn') }
  if (isGroup(chat)) return { from: chat, participant: jidOf(person, network.groups.get(chat)?.addressing ?? 'lid') }
  return { from: jidOf(person, parseJid(chat).server === 'lid' ? 'lid' : 'pn') }
}

/** Receipt on request of the control API. */
export function giveReceipt(
  network: Network,
  person: Person,
  chat: string,
  ids: string[],
  type: 'delivered' | 'read' | 'played',
) {
  const told = type === 'delivered' ? undefined : type
  if (isGroup(chat)) {
    const attrs = { ...whereFrom(network, person, chat), type: told }
    for (const member of network.groups.get(chat)?.members.values() ?? []) {
      if (member.person !== person) sendReceipt(network, member.person, attrs, ids)
    }
    return true
  }
  const other = findPerson(network, chat)
  if (other) sendReceipt(network, other, { from: jidOf(person, network.settings.addressing), type: told }, ids)
  return other !== undefined
}
