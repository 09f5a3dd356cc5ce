import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { sealMedia } from '../people/media.ts'
import { seconds } from '../wire/node.ts'
import { appStateKey, publishPushName, writeActions } from './app-state-phone.ts'
import { historySalt } from './chat-token-salt.ts'
import { CONTACT_VERSION, CONTACTS, contactIndex, contactValue } from './control-account.ts'
import type { Companion, Message, Network, Person } from './model.ts'
import { findNumber, lidJidOf, pnOf } from './people.ts'
import { newMessageId, sendToOwnDevice } from './send-as.ts'

const deflated = promisify(deflate)
const { Type } = proto.Message.ProtocolMessage
const { HistorySyncType } = proto.HistorySync

/** Sends a new device the key of the account's app state, and the history. */
export async function bootstrap(network: Network, companion: Companion): Promise<void> {
  const { person } = companion
  publishPushName(network, person, companion)
  await fillAddressBook(network, person)
  const { keyId, keyData } = appStateKey(person)
  const key = {
    keyId: { keyId },
    keyData: { keyData, fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] }, timestamp: seconds() * 1_000 },
  }
  await sendPeerMessage(network, companion, { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys: [key] } })
  for (const [order, history] of historyOf(network, person).entries())
    await sendPeerMessage(
      network,
      companion,
      await notification(network, history, order + 1, order === 0 ? { more: historySalt(person) } : {}),
    )
}

async function sendPeerMessage(network: Network, companion: Companion, protocolMessage: proto.Message.IProtocolMessage) {
  const message: Message = { protocolMessage }
  await sendToOwnDevice(network, companion.person.devices[0]!, companion, message)
}

/** Largest payload in bytes that is sent inline. A larger one is uploaded to the media host, as real phones do. */
const MAX_INLINE = 32 * 1_024

export async function notification(
  network: Network,
  history: proto.IHistorySync,
  chunkOrder: number,
  { requestId, more = Buffer.alloc(0) }: { requestId?: string; more?: Buffer } = {},
): Promise<proto.Message.IProtocolMessage> {
  const known = proto.HistorySync.encode(history as proto.HistorySync).finish()
  const payload = await deflated(Buffer.concat([known, more]))
  return {
    type: Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      syncType: history.syncType as unknown as proto.Message.HistorySyncType,
      chunkOrder,
      progress: history.progress ?? null,
      ...(await placed(network, payload)),
      peerDataRequestSessionId: requestId ?? null,
    },
  }
}

async function placed({ upload }: Network, payload: Buffer): Promise<proto.Message.IHistorySyncNotification> {
  if (!upload || payload.length <= MAX_INLINE) return { initialHistBootstrapInlinePayload: payload }
  const { blob, ...sealed } = sealMedia(payload, 'md-msg-hist')
  const { directPath } = await upload(blob, 'md-msg-hist')
  return { ...sealed, directPath }
}

function historyOf(network: Network, person: Person): proto.IHistorySync[] {
  const { chats, contacts, messages = 1 } = person.history
  const people = Array.from({ length: Math.max(chats, contacts) }, (_, index) => partner(network, person, index))
  const mappings = people.map((other) => ({ pnJid: pnOf(other), lidJid: lidJidOf(other) }))
  const pushnames = people.slice(0, contacts).map((other) => ({ id: pnOf(other), pushname: other.name }))
  return [
    {
      syncType: HistorySyncType.INITIAL_BOOTSTRAP,
      conversations: people.slice(0, chats).map((other, index) => conversation(person, other, index, messages)),
      phoneNumberToLidMappings: mappings,
      progress: 0,
    },
    { syncType: HistorySyncType.PUSH_NAME, pushnames: [{ id: pnOf(person), pushname: person.name }, ...pushnames] },
    { syncType: HistorySyncType.RECENT, conversations: [], progress: 100 },
  ]
}

async function fillAddressBook(network: Network, person: Person) {
  const { saved = 0 } = person.history
  if (saved === 0 || person.appState.collections.has(CONTACTS)) return
  const actions = Array.from({ length: saved }, (_, index) => {
    const other = partner(network, person, index)
    return { index: contactIndex(other), version: CONTACT_VERSION, value: contactValue(other, `Saved ${index + 1}`) }
  })
  await writeActions(network, person, CONTACTS, actions)
}

/** Phone number of the first person in the history and in the address book of a phone. */
const FIRST_PARTNER = 15_550_100_001

function partner(network: Network, person: Person, index: number): Person {
  // Numbers that end in 0000 have no account, so they are left out.
  const number = FIRST_PARTNER + index + Math.floor(index / 9_999)
  return findNumber(network, String(number)) ?? person
}

function conversation(person: Person, other: Person, index: number, count: number): proto.IConversation {
  const newest = seconds() - 60 * (index + 1)
  const messages = Array.from({ length: count }, (_, age) => {
    const key = { remoteJid: pnOf(other), fromMe: index % 2 === 1, id: newMessageId() }
    const text = `old message ${index + 1}${age === 0 ? '' : `, ${age} before the last`}`
    const message = { key, message: { conversation: text }, messageTimestamp: newest - age, pushName: person.name }
    return { message, msgOrderId: count - age }
  })
  return {
    id: pnOf(other),
    name: other.name,
    pnJid: pnOf(other),
    lidJid: lidJidOf(other),
    conversationTimestamp: newest,
    // As on real phones, -1 means that the chat was marked as unread by hand.
    unreadCount: index === 0 ? -1 : index % 4,
    messages,
  }
}
