import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { MessageCopy } from '../control/network-control.ts'
import { describe } from '../people/describe.ts'
import { openSealed } from '../people/opened.ts'
import { bigEndian, node, seconds } from '../wire/node.ts'
import { unpad } from '../wire/padding.ts'
import { enqueue } from './delivery.ts'
import { isGroup, parseJid, STATUS } from './jid.ts'
import type { Companion, Letter, Message, Network, PretendDevice } from './model.ts'
import { answerPeerRequest } from './peer-requests.ts'
import { jidOf } from './people.ts'
import { keyNode } from './queries/keys.ts'
import { sendReceiptsFor } from './receipts.ts'
import { speak } from './speaking.ts'

/** A device the simulator plays gets its copy: decrypted in order, recorded once (by the phone, device 0), answered as people do. */
export async function hear(network: Network, device: PretendDevice, letter: Letter): Promise<void> {
  const { person } = device
  if (person.isSink) {
    if (device.id === 0) sendReceiptsFor(network, person, letter)
    return
  }
  const message = await device.turn(() => decrypt(network, device, letter))
  person.inbox.keepCopy(copyOf(device, letter, message))
  network.changed()
  if (message) device.received += 1
  if (!message || device.id !== 0) return
  if (person === letter.from.person) return hearOwn(network, device, letter, message)
  record(network, device, letter, message)
  sendReceiptsFor(network, person, letter)
  await echo(network, device, letter, message)
}

/** The own phone: what the linked device sent elsewhere, or asks of its phone. */
async function hearOwn(network: Network, device: PretendDevice, letter: Letter, message: Message) {
  // requests to the phone come wrapped as well
  const inner = message.deviceSentMessage?.message ?? message
  if (letter.isPeer || inner.protocolMessage?.peerDataOperationRequestMessage) {
    return answerPeerRequest(network, letter, inner)
  }
  const chat = message.deviceSentMessage?.destinationJid
  record(network, device, { ...letter, chat: chat ?? letter.chat }, inner)
}

async function decrypt(network: Network, device: PretendDevice, letter: Letter): Promise<Message | undefined> {
  let content: Message | undefined
  for (const { type, ciphertext } of letter.encs) {
    try {
      const author = letter.from.address
      const padded =
        type === 'skmsg'
          ? await device.signal.decryptGroup(letter.chat, author, ciphertext)
          : await device.signal.decrypt(author, type, ciphertext)
      const message = proto.Message.decode(unpad(padded))
      const key = message.senderKeyDistributionMessage
      if (key?.axolotlSenderKeyDistributionMessage && key.groupId) {
        await device.signal.acceptSenderKey(key.groupId, author, key.axolotlSenderKeyDistributionMessage)
      }
      if (hasContent(message)) content = message
    } catch (error) {
      network.stats.undecryptable += 1
      network.note(`${device.address} could not read ${type} ${letter.id} of ${letter.from.address}: ${String(error)}`)
      if (device.person.asksAgain) askAgain(network, device, letter)
      return undefined
    }
  }
  return content
}

/** Key distribution alone is nothing to read. */
function hasContent(message: Message): boolean {
  return Object.entries(message).some(
    ([name, value]) =>
      value !== null && value !== undefined && name !== 'senderKeyDistributionMessage' && name !== 'messageContextInfo',
  )
}

function copyOf(device: PretendDevice, letter: Letter, message: Message | undefined): MessageCopy {
  const { id, attrs, nodes, tags, encs } = letter
  const deviceSent = Boolean(message?.deviceSentMessage)
  const enc = encs.map((each) => each.attrs)
  return { id, device: device.id, read: message !== undefined, device_sent: deviceSent, attrs, nodes, tags, enc }
}

/** What the message seals about another one of the chat, under the names that people have there. */
function openedBy(network: Network, { person }: PretendDevice, letter: Letter, message: Message) {
  const group = network.groups.get(letter.chat)
  const addressing = group ? group.addressing : parseJid(letter.chat).server === 'lid' ? 'lid' : 'pn'
  return openSealed(message, {
    speaker: jidOf(letter.from.person, addressing),
    find(id) {
      const own = person.sent.get(id)
      if (own) return { author: jidOf(person, addressing), message: proto.Message.decode(own.message) }
      const item = person.inbox.find(id)
      const author = item && network.people.get(item.from)
      return author && { author: jidOf(author, addressing), message: proto.Message.fromObject(item.proto as object) }
    },
  })
}

function record(network: Network, device: PretendDevice, letter: Letter, message: Message) {
  const { kind, text, media } = describe(message)
  const opened = openedBy(network, device, letter, message)
  device.person.inbox.add({
    ...(opened ? { opened } : {}),
    id: letter.id,
    from: letter.from.person.number,
    chat: letter.chat,
    at: new Date().toISOString(),
    kind,
    text,
    proto: proto.Message.fromObject(message).toJSON(),
    media,
    attrs: letter.attrs,
    nodes: letter.nodes,
    retries: device.person.inbox.retries(letter.id),
  })
}

/** How often a device asks for the same message before it gives up. */
const MAX_RETRIES = 5

function askAgain(network: Network, device: PretendDevice, letter: Letter) {
  const count = device.person.inbox.countRetry(letter.id, device.id)
  if (count > MAX_RETRIES) return
  sendRetry(network, device, letter.from, { id: letter.id, chat: letter.chat, count, keys: true })
}

interface Retry {
  id: string
  chat: string
  count: number
  /** With the keys for a fresh session; without, the sender asks the server for some. */
  keys: boolean
}

/** A retry receipt. */
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

async function echo(network: Network, device: PretendDevice, letter: Letter, message: Message) {
  if (!network.settings.echo || device.person.isPhone || letter.chat === STATUS) return
  const { text } = describe(message)
  if (!text?.startsWith(ECHO)) return
  const to = isGroup(letter.chat) ? letter.chat : letter.from.person.number
  await speak(network, device.person, to, { conversation: text.slice(ECHO.length) })
}
