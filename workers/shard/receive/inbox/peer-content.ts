/**
 * Validates messages from the account's own phone to this device, so that no incomplete key or pair of jids is stored.
 */
import { proto } from '@whiskeysockets/baileys'

const { Type } = proto.Message.ProtocolMessage

export function usablePeer(message: proto.IMessage): proto.IMessage | null {
  const { protocolMessage } = message
  switch (protocolMessage?.type) {
    case Type.APP_STATE_SYNC_KEY_SHARE:
      return withProtocol(message, 'appStateSyncKeyShare', keysIn(protocolMessage))
    case Type.LID_MIGRATION_MAPPING_SYNC:
      return withProtocol(message, 'lidMigrationMappingSyncMessage', pairsIn(protocolMessage))
    default:
      return message
  }
}

function withProtocol<F extends 'appStateSyncKeyShare' | 'lidMigrationMappingSyncMessage'>(
  message: proto.IMessage,
  field: F,
  value: proto.Message.IProtocolMessage[F] | null,
): proto.IMessage | null {
  return value && { ...message, protocolMessage: { ...message.protocolMessage, [field]: value } }
}

function keysIn({ appStateSyncKeyShare }: proto.Message.IProtocolMessage): proto.Message.IAppStateSyncKeyShare | null {
  const keys = appStateSyncKeyShare?.keys
  if (!keys) return null
  const named = keys.filter(({ keyId }) => keyId?.keyId?.length)
  if (named.length === 0 && keys.length > 0) return null
  // If the phone does not have a key, it sends an element without data. Such elements are left out.
  return { keys: named.filter(({ keyData }) => keyData?.keyData?.length) }
}

function pairsIn({ lidMigrationMappingSyncMessage: sync }: proto.Message.IProtocolMessage) {
  const encoded = sync?.encodedMappingPayload
  if (!encoded?.length) return null
  try {
    const payload = proto.LIDMigrationMappingSyncPayload.decode(encoded)
    const pairs = payload.pnToLidMappings.filter(
      ({ pn, latestLid, assignedLid }) => isSet(pn) && (isSet(latestLid) || isSet(assignedLid)),
    )
    if (pairs.length === 0 && payload.pnToLidMappings.length > 0) return null
    const encodedMappingPayload = proto.LIDMigrationMappingSyncPayload.encode({ ...payload, pnToLidMappings: pairs }).finish()
    return { ...sync, encodedMappingPayload }
  } catch {
    return null
  }
}

/** Whether the number or LID is known. 0 means that it is not. */
export const isSet = (number: unknown) => number !== null && number !== undefined && String(number) !== '0'
