import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { seconds } from '../wire/node.ts'
import { appStateKey } from './app-state-phone.ts'
import { notification } from './bootstrap-after-pairing.ts'
import type { DeviceCopy } from './device-copy.ts'
import { isGroup, parseJid } from './jid.ts'
import type { Message, Network } from './model.ts'
import { findPerson, jidOf } from './people.ts'
import { sendToOwnDevice } from './send-as.ts'

const { Type } = proto.Message.ProtocolMessage
const RequestType = proto.Message.PeerDataOperationRequestType

export async function answerPeerRequest(network: Network, deviceCopy: DeviceCopy, message: Message): Promise<void> {
  const { protocolMessage } = message
  const request = protocolMessage?.peerDataOperationRequestMessage
  if (protocolMessage?.appStateSyncKeyRequest) return shareKey(network, deviceCopy)
  if (request?.historySyncOnDemandRequest) return answerHistory(network, deviceCopy, request.historySyncOnDemandRequest)
  if (request?.placeholderMessageResendRequest?.length) {
    const { placeholderMessageResendRequest: wanted } = request
    return answerPlaceholders(
      network,
      deviceCopy,
      wanted.map((entry) => entry.messageKey ?? {}),
    )
  }
  network.note(`${deviceCopy.from.address} asked its phone for something it does not have`)
}

async function sendPeerMessage(network: Network, deviceCopy: DeviceCopy, protocolMessage: proto.Message.IProtocolMessage) {
  const phone = deviceCopy.from.person.devices[0]!
  await sendToOwnDevice(network, phone, deviceCopy.from, { protocolMessage })
}

async function shareKey(network: Network, deviceCopy: DeviceCopy) {
  const { keyId, keyData } = appStateKey(deviceCopy.from.person)
  const fingerprint = { rawId: 1, currentIndex: 0, deviceIndexes: [0] }
  const keys = [{ keyId: { keyId }, keyData: { keyData, fingerprint, timestamp: seconds() * 1_000 } }]
  await sendPeerMessage(network, deviceCopy, { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys } })
}

async function answerHistory(
  network: Network,
  deviceCopy: DeviceCopy,
  wanted: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
) {
  const chat = wanted.chatJid ?? ''
  const newest = Math.floor(Number(wanted.oldestMsgTimestampMs ?? Date.now()) / 1_000)
  const messages = Array.from({ length: wanted.onDemandMsgCount ?? 0 }, (_, index) => ({
    message: {
      key: { remoteJid: chat, fromMe: false, id: `${wanted.oldestMsgId ?? 'OLD'}-${index + 1}` },
      message: { conversation: `older message ${index + 1}` },
      messageTimestamp: newest - 60 * (index + 1),
    },
    msgOrderId: index + 1,
  }))
  const history = {
    syncType: proto.HistorySync.HistorySyncType.ON_DEMAND,
    conversations: [{ id: chat, messages }],
    progress: 100,
  }
  await sendPeerMessage(network, deviceCopy, await notification(network, history, 1, { requestId: deviceCopy.id }))
}

/** Answers requests for the content of messages. Only messages that their senders still have can be given. */
async function answerPlaceholders(network: Network, deviceCopy: DeviceCopy, keys: proto.IMessageKey[]) {
  const peerDataOperationResult = keys.flatMap((key) => {
    const chat = key.remoteJid ?? ''
    const author = key.fromMe ? deviceCopy.from.person : findPerson(network, key.participant ?? chat)
    const remembered = author?.sent.get(key.id ?? '')
    if (!author || !remembered) return []
    const participant = isGroup(chat) ? jidOf(author, parseJid(key.participant ?? '').server === 'lid' ? 'lid' : 'pn') : null
    const info = {
      key: { ...key, participant },
      message: proto.Message.decode(remembered.message),
      messageTimestamp: seconds(),
      pushName: author.name,
    }
    const webMessageInfoBytes = proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(info)).finish()
    return [{ placeholderMessageResendResponse: { webMessageInfoBytes } }]
  })
  await sendPeerMessage(network, deviceCopy, {
    type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
    peerDataOperationRequestResponseMessage: {
      peerDataOperationRequestType: RequestType.PLACEHOLDER_MESSAGE_RESEND,
      stanzaId: deviceCopy.id,
      peerDataOperationResult,
    },
  })
}
