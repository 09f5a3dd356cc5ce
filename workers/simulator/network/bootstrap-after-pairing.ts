import { deflateSync } from 'node:zlib'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { seconds } from '../wire/node.ts'
import { appStateKey, publishPushName } from './app-state-phone.ts'
import type { Companion, Message, Network, Person } from './model.ts'
import { findNumber, lidJidOf, pnOf } from './people.ts'
import { newMessageId, speakToOwnDevice } from './speaking.ts'

const { Type } = proto.Message.ProtocolMessage
const { HistorySyncType } = proto.HistorySync

/** What a phone sends its new device: the key of the account's settings, and what was there before. */
export async function bootstrap(network: Network, companion: Companion): Promise<void> {
  const { person } = companion
  publishPushName(network, person, companion)
  const { keyId, keyData } = appStateKey(person)
  const key = {
    keyId: { keyId },
    keyData: { keyData, fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] }, timestamp: seconds() * 1_000 },
  }
  await tell(network, companion, { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys: [key] } })
  for (const [order, history] of historyOf(network, person).entries())
    await tell(network, companion, notification(history, order + 1))
}

async function tell(network: Network, companion: Companion, protocolMessage: proto.Message.IProtocolMessage) {
  const message: Message = { protocolMessage }
  await speakToOwnDevice(network, companion.person.devices[0]!, companion, message)
}

export function notification(
  history: proto.IHistorySync,
  chunkOrder: number,
  requestId?: string,
): proto.Message.IProtocolMessage {
  const payload = deflateSync(proto.HistorySync.encode(history as proto.HistorySync).finish())
  return {
    type: Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      syncType: history.syncType as unknown as proto.Message.HistorySyncType,
      chunkOrder,
      progress: history.progress ?? null,
      initialHistBootstrapInlinePayload: payload,
      peerDataRequestSessionId: requestId ?? null,
    },
  }
}

/** The history a phone was made with: as many chats and named contacts, with numbers that exist on this network. */
function historyOf(network: Network, person: Person): proto.IHistorySync[] {
  const { chats, contacts } = person.history
  const people = Array.from({ length: Math.max(chats, contacts) }, (_, index) => partner(network, person, index))
  const mappings = people.map((other) => ({ pnJid: pnOf(other), lidJid: lidJidOf(other) }))
  const pushnames = people.slice(0, contacts).map((other) => ({ id: pnOf(other), pushname: other.name }))
  return [
    {
      syncType: HistorySyncType.INITIAL_BOOTSTRAP,
      conversations: people.slice(0, chats).map((other, index) => conversation(person, other, index)),
      phoneNumberToLidMappings: mappings,
      progress: 0,
    },
    { syncType: HistorySyncType.PUSH_NAME, pushnames: [{ id: pnOf(person), pushname: person.name }, ...pushnames] },
    { syncType: HistorySyncType.RECENT, conversations: [], progress: 100 },
  ]
}

/** First number of the people in a phone's history. */
const FIRST_PARTNER = 15_550_100_001

function partner(network: Network, person: Person, index: number): Person {
  // numbers that end in 0000 belong to nobody
  const number = FIRST_PARTNER + index + Math.floor(index / 9_998)
  return findNumber(network, String(number)) ?? person
}

function conversation(person: Person, other: Person, index: number): proto.IConversation {
  const t = seconds() - 60 * (index + 1)
  const key = { remoteJid: pnOf(other), fromMe: index % 2 === 1, id: newMessageId() }
  const message = { key, message: { conversation: `old message ${index + 1}` }, messageTimestamp: t, pushName: person.name }
  return {
    id: pnOf(other),
    name: other.name,
    pnJid: pnOf(other),
    lidJid: lidJidOf(other),
    conversationTimestamp: t,
    unreadCount: 0,
    messages: [{ message, msgOrderId: 1 }],
  }
}
