/**
 * Sends a message to the account's own phone, which answers with data that this device does not have:
 *
 *   <message to="own number" type="text" category="peer" push_priority="high_force"><enc/><device-identity/>?<meta appdata="default"/></message>
 */
import { type AuthenticationState, encodeSignedDeviceIdentity, generateMessageIDV2, proto } from '@whiskeysockets/baileys'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { bare } from '../../wire/jid.ts'
import { peerStanza } from '../../wire/message-nodes.ts'
import { deviceSent, padded } from '../../wire/plaintext.ts'
import type { DeviceSessions } from './device-sessions.ts'

export type AskPhone = (request: proto.Message.IPeerDataOperationRequestMessage) => Promise<void>

export interface AskPhoneDeps {
  sock: Pick<NetworkSocket, 'sendNode' | 'signalRepository'>
  auth: AuthenticationState
  sessions: Pick<DeviceSessions, 'begin'>
}

export function createAskPhone({ sock, auth, sessions }: AskPhoneDeps): AskPhone {
  const { creds } = auth
  const repository = sock.signalRepository
  return async (request) => {
    const { id: me } = creds.me!
    const phone = bare(me)
    await sessions.begin([phone])
    const protocolMessage = {
      type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_MESSAGE,
      peerDataOperationRequestMessage: request,
    }
    const plain = padded(deviceSent(phone, proto.Message.encode({ protocolMessage }).finish(), null))
    const sealed = await repository.encryptMessage({ jid: phone, data: plain })
    const identity = sealed.type === 'pkmsg' ? encodeSignedDeviceIdentity(creds.account!, true) : null
    await sock.sendNode(peerStanza({ id: generateMessageIDV2(me), to: phone }, sealed, identity))
  }
}
