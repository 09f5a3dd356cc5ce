/**
 * Stores data that the phone sends only to the account's own devices: keys of app state, and pairs of number and LID.
 */
import { type AuthenticationState, proto } from '@whiskeysockets/baileys'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { isSet } from '../inbox/peer-content.ts'
import { storePairs } from './lid-pairs.ts'

const { Type } = proto.Message.ProtocolMessage
type Protocol = proto.Message.IProtocolMessage

export interface PeerKeysDeps {
  sock: Pick<NetworkSocket, 'ev' | 'signalRepository'>
  keys: AuthenticationState['keys']
}

export function storePeerKeys({ sock, keys }: PeerKeysDeps) {
  async function storeKeys({ appStateSyncKeyShare }: Protocol) {
    const named = (appStateSyncKeyShare?.keys ?? []).map(({ keyId, keyData }) => [idOf(keyId), keyData!] as const)
    const newest = named.at(-1)
    if (!newest) return
    await keys.set({ 'app-state-sync-key': Object.fromEntries(named) })
    sock.ev.emit('creds.update', { myAppStateKeyId: newest[0] })
  }

  return async ({ protocolMessage }: proto.IMessage): Promise<void> => {
    if (protocolMessage?.type === Type.APP_STATE_SYNC_KEY_SHARE) await storeKeys(protocolMessage)
    if (protocolMessage?.type === Type.LID_MIGRATION_MAPPING_SYNC)
      await storePairs(sock.signalRepository, pairsIn(protocolMessage))
  }
}

const idOf = (keyId: proto.Message.IAppStateSyncKeyId | null | undefined) => Buffer.from(keyId!.keyId!).toString('base64')

function pairsIn({ lidMigrationMappingSyncMessage: sync }: Protocol) {
  const { pnToLidMappings } = proto.LIDMigrationMappingSyncPayload.decode(sync!.encodedMappingPayload!)
  return pnToLidMappings.map(({ pn, latestLid, assignedLid }) => ({
    pn: `${pn}@s.whatsapp.net`,
    lid: `${isSet(latestLid) ? latestLid : assignedLid}@lid`,
  }))
}
