import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { MessageCopy } from '../control/network-control.ts'
import { describe } from '../people/describe.ts'
import { unseal } from '../people/opened.ts'
import { bigEndian, node, seconds } from '../wire/node.ts'
import { unpad } from '../wire/padding.ts'
import { enqueue } from './delivery.ts'
import type { DeviceCopy } from './device-copy.ts'
import { isGroup, parseJid, STATUS } from './jid.ts'
import type { Companion, Message, Network, PretendDevice } from './model.ts'
import { answerPeerRequest } from './peer-requests.ts'
import { jidOf } from './people.ts'
import { keyNode } from './queries/keys.ts'
import { sendReceiptsFor } from './receipts.ts'
import { sendAs } from './send-as.ts'

/**
 * Delivers one copy of a message to a device, which decrypts its copies in order. The message is recorded once per
 * person, and answered as a real phone does. A sink neither decrypts nor records, and only sends receipts.
 */
export async function deliverTo(network: Network, device: PretendDevice, deviceCopy: DeviceCopy): Promise<void> {
  const { person } = device
  if (person.isSink) {
    if (device.id === 0) sendReceiptsFor(network, person, deviceCopy)
    return
  }
  const message = await device.turn(() => decrypt(network, device, deviceCopy))
  person.inbox.keepCopy(copyOf(device, deviceCopy, message))
  network.changed()
  if (message) device.received += 1
  if (!message || device.id !== 0) return
  if (person === deviceCopy.from.person) return deliverOwn(network, device, deviceCopy, message)
  const isNew = record(network, device, deviceCopy, message)
  sendReceiptsFor(network, person, deviceCopy, isNew)
  if (isNew) await echo(network, device, deviceCopy, message)
}

/** Handles what a linked device sends to its phone: a copy of a message to another chat, or a request. */
async function deliverOwn(network: Network, device: PretendDevice, deviceCopy: DeviceCopy, message: Message) {
  // The account's requests to its phone are wrapped in the same way as its messages, so both are unwrapped here.
  const inner = message.deviceSentMessage?.message ?? message
  if (deviceCopy.isPeer || inner.protocolMessage?.peerDataOperationRequestMessage) {
    return answerPeerRequest(network, deviceCopy, inner)
  }
  const chat = message.deviceSentMessage?.destinationJid
  record(network, device, { ...deviceCopy, chat: chat ?? deviceCopy.chat }, inner)
}

async function decrypt(network: Network, device: PretendDevice, deviceCopy: DeviceCopy): Promise<Message | undefined> {
  let content: Message | undefined
  for (const { type, ciphertext } of deviceCopy.encs) {
    try {
      const author = deviceCopy.from.address
      const padded =
        type === 'skmsg'
          ? await device.signal.decryptGroup(deviceCopy.chat, author, ciphertext)
          : await device.signal.decrypt(author, type, ciphertext)
      const message = proto.Message.decode(unpad(padded))
      const key = message.senderKeyDistributionMessage
      if (key?.axolotlSenderKeyDistributionMessage && key.groupId) {
        await device.signal.acceptSenderKey(key.groupId, author, key.axolotlSenderKeyDistributionMessage)
      }
      if (hasContent(message)) content = message
    } catch (error) {
      network.stats.undecryptable += 1
      network.note(`${device.address} could not read ${type} ${deviceCopy.id} of ${deviceCopy.from.address}: ${String(error)}`)
      if (device.person.asksAgain) askAgain(network, device, deviceCopy)
      return undefined
    }
  }
  return content
}

function hasContent(message: Message): boolean {
  return Object.entries(message).some(
    ([name, value]) =>
      value !== null && value !== undefined && name !== 'senderKeyDistributionMessage' && name !== 'messageContextInfo',
  )
}

function copyOf(device: PretendDevice, deviceCopy: DeviceCopy, message: Message | undefined): MessageCopy {
  const { id, attrs, nodes, tags, encs } = deviceCopy
  const deviceSent = Boolean(message?.deviceSentMessage)
  const enc = encs.map((each) => each.attrs)
  const opened = message ? proto.Message.fromObject(message).toJSON() : null
  return { id, device: device.id, read: message !== undefined, device_sent: deviceSent, attrs, nodes, tags, enc, proto: opened }
}

/** Decrypts content that refers to another message. Its key depends on the JIDs that people have in this chat. */
function openedBy(network: Network, { person }: PretendDevice, deviceCopy: DeviceCopy, message: Message) {
  const group = network.groups.get(deviceCopy.chat)
  const addressing = group ? group.addressing : parseJid(deviceCopy.chat).server === 'lid' ? 'lid' : 'pn'
  return unseal(message, {
    sender: jidOf(deviceCopy.from.person, addressing),
    find(id) {
      const own = person.sent.get(id)
      if (own) return { author: jidOf(person, addressing), message: proto.Message.decode(own.message) }
      const item = person.inbox.find(id)
      const author = item && network.people.get(item.from)
      return author && { author: jidOf(author, addressing), message: proto.Message.fromObject(item.proto as object) }
    },
  })
}

function record(network: Network, device: PretendDevice, deviceCopy: DeviceCopy, message: Message): boolean {
  const { kind, text, media } = describe(message)
  const opened = openedBy(network, device, deviceCopy, message)
  return device.person.inbox.add({
    ...(opened ? { opened } : {}),
    id: deviceCopy.id,
    from: deviceCopy.from.person.number,
    chat: deviceCopy.chat,
    at: new Date().toISOString(),
    kind,
    text,
    proto: proto.Message.fromObject(message).toJSON(),
    media,
    attrs: deviceCopy.attrs,
    nodes: deviceCopy.nodes,
    retries: device.person.inbox.retries(deviceCopy.id),
  })
}

const MAX_RETRIES = 5

function askAgain(network: Network, device: PretendDevice, deviceCopy: DeviceCopy) {
  const count = device.person.inbox.countRetry(deviceCopy.id, device.id)
  if (count > MAX_RETRIES) return
  sendRetry(network, device, deviceCopy.from, { id: deviceCopy.id, chat: deviceCopy.chat, count, keys: true })
}

interface Retry {
  id: string
  chat: string
  count: number
  /** Whether the receipt contains keys. Without them, the sender queries the keys from the server. */
  keys: boolean
}

export function sendRetry(network: Network, device: PretendDevice, to: Companion, { id, chat, count, keys }: Retry) {
  const { person, signal } = device
  const isShared = isGroup(chat) || chat === STATUS
  const group = network.groups.get(chat)
  const addressing = isShared ? (group?.addressing ?? 'pn') : parseJid(chat).server === 'lid' ? 'lid' : 'pn'
  const own = jidOf(person, addressing, device.id)
  const bundle = signal.bundle(keys)
  const attrs = {
    id,
    type: 'retry',
    t: seconds(),
    ...(isShared ? { from: chat, participant: own } : { from: own }),
    ...(person === to.person && !isShared ? { recipient: chat } : {}),
  }
  const keyNodes = [
    node('type', {}, Buffer.from([5])),
    node('identity', {}, bundle.identity),
    ...(bundle.preKey ? [keyNode('key', bundle.preKey)] : []),
    keyNode('skey', bundle.signedPreKey),
  ]
  enqueue(
    network,
    to,
    node('receipt', attrs, [
      node('retry', { count, id, t: seconds(), v: 1 }),
      node('registration', {}, bigEndian(bundle.registrationId, 4)),
      ...(keys ? [node('keys', {}, keyNodes)] : []),
    ]),
  )
}

const ECHO = 'echo '

async function echo(network: Network, device: PretendDevice, deviceCopy: DeviceCopy, message: Message) {
  if (!network.settings.echo || device.person.isPhone || deviceCopy.chat === STATUS) return
  const { text } = describe(message)
  if (!text?.startsWith(ECHO)) return
  const to = isGroup(deviceCopy.chat) ? deviceCopy.chat : deviceCopy.from.person.number
  await sendAs(network, device.person, to, { conversation: text.slice(ECHO.length) })
}
