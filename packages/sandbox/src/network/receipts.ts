import { type BinaryNode, child, childBytes, children, node, readBigEndian, seconds } from '../wire/node.ts'
import { enqueue, receiptIds, settle, settleByReceipt, settleCall } from './delivery.ts'
import type { DeviceCopy } from './device-copy.ts'
import { isGroup, parseJid, STATUS } from './jid.ts'
import { answerMediaRetry } from './media-retry.ts'
import type { Companion, Network, Person, PretendDevice } from './model.ts'
import { addSignal, findDevice, findPerson, jidOf } from './people.ts'
import { signedKeyOf, takeBundle } from './queries/keys.ts'
import { sendAgain } from './send-as.ts'

const PRIVATE_TYPES = new Set(['sender', 'peer_msg', 'hist_sync', 'read-self', 'played-self'])
/** Receipts after which the other devices of the account no longer show the messages as new. */
const OWN_READS = new Set(['read', 'played', 'read-self', 'played-self'])

/** Handles a receipt: removes the waiting stanza, and passes the receipt on to the people whom it concerns. */
export function receiveReceipt(network: Network, companion: Companion, item: BinaryNode) {
  const ids = receiptIds(item)
  const { type = '', to = '', participant } = item.attrs
  if (type === 'retry') return receiveRetry(network, companion, item)
  if (type === 'server-error') return answerMediaRetry(network, companion, item)
  // A receipt that answers the stanza of a ringing call has one of these children.
  if (child(item, 'offer') ?? child(item, 'accept') ?? child(item, 'reject')) return settleCall(network, companion, ids)
  settleByReceipt(network, companion, ids)
  if (OWN_READS.has(type)) notifyOwnDevices(network, companion, item, ids)
  if (PRIVATE_TYPES.has(type)) return
  const device = findDevice(network, participant ?? to)
  if (!device) return
  // A linked device that is not in use sends receipts of the type `inactive`. The sender of the message gets them as
  // "delivered".
  const wireType = type === 'inactive' ? undefined : type || undefined
  if (device.pretend) {
    addSignal(device.person, { kind: 'receipt', type: wireType ?? 'delivered', from: companion.person.number, chat: to, ids })
  }
  const isLid = parseJid(participant ?? to).server === 'lid'
  const own = jidOf(companion.person, isLid ? 'lid' : 'pn')
  const where = participant ? { from: to, participant: own } : { from: own }
  sendReceipt(network, device.person, { ...where, type: wireType }, ids)
}

/** Notifies the other devices of the account. The receipt comes from the account itself, and names the chat. */
function notifyOwnDevices(network: Network, companion: Companion, item: BinaryNode, ids: string[]) {
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

function receiveRetry(network: Network, companion: Companion, item: BinaryNode) {
  const { id = '', to = '', participant } = item.attrs
  const device = findDevice(network, participant ?? to)
  // The copy that could not be decrypted will not be sent again. The client also sends a negative ack for this copy.
  if (settle(network, companion, `message ${id}`)) companion.nacksToIgnore.add(id)
  if (!device) return
  if (device.companion) {
    const own = jidOf(companion.person, parseJid(participant ?? to).server === 'lid' ? 'lid' : 'pn', companion.device)
    const where = isGroup(to) ? { from: to, participant: own } : { from: own }
    return enqueue(network, device.companion, node('receipt', { id, type: 'retry', t: seconds(), ...where }, children(item)))
  }
  const count = Number(child(item, 'retry')?.attrs.count ?? 1)
  const { pretend } = device
  network.run(sendAgain(network, pretend, companion, id, count, () => openFromRetry(network, pretend, companion, item)))
}

async function openFromRetry(network: Network, device: PretendDevice, companion: Companion, item: BinaryNode) {
  const keys = child(item, 'keys')
  const signedPreKey = signedKeyOf(child(keys, 'skey'))
  const identity = childBytes(keys, 'identity')
  const registration = childBytes(item, 'registration')
  // The device opens a new session. The old one is archived and not removed, because messages that use it may still
  // arrive.
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

/** Sends receipts for a message: "delivered" when the phone has it, and "read" when the person has opened it. */
export function sendReceiptsFor(network: Network, person: Person, deviceCopy: DeviceCopy, isNew = true) {
  const { receipts, receipt_delay_ms: delayMs } = network.settings
  // Nobody uses the phone of an account with linked devices, so by default it sends no read receipts by itself.
  const byItself = person.companions.size > 0 && receipts === 'read' ? 'delivered' : receipts
  const mode = person.receipts ?? byItself
  if (mode === 'none' || deviceCopy.isPeer) return
  const attrs = whereFrom(network, person, deviceCopy.chat)
  const say = (type?: string) => sendReceipt(network, deviceCopy.from.person, { ...attrs, type }, [deviceCopy.id])
  if (!isNew) return say()
  if (mode === 'delivered') return network.later(delayMs, () => say())
  say()
  network.later(delayMs, () => say('read'))
}

/** Returns attributes that name the sender of a receipt by number or LID, as in the message. */
function whereFrom(network: Network, person: Person, chat: string): Record<string, string> {
  if (chat === STATUS) return { from: chat, participant: jidOf(person, 'pn') }
  if (isGroup(chat)) return { from: chat, participant: jidOf(person, network.groups.get(chat)?.addressing ?? 'lid') }
  return { from: jidOf(person, parseJid(chat).server === 'lid' ? 'lid' : 'pn') }
}

export function giveReceipt(
  network: Network,
  person: Person,
  chat: string,
  ids: string[],
  type: 'delivered' | 'read' | 'played',
) {
  const wireType = type === 'delivered' ? undefined : type
  if (isGroup(chat)) {
    const attrs = { ...whereFrom(network, person, chat), type: wireType }
    for (const member of network.groups.get(chat)?.members.values() ?? []) {
      if (member.person !== person) sendReceipt(network, member.person, attrs, ids)
    }
    return true
  }
  const other = findPerson(network, chat)
  if (other) sendReceipt(network, other, { from: jidOf(person, network.settings.addressing), type: wireType }, ids)
  return other !== undefined
}
