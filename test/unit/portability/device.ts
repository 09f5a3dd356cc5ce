/** Builds a linked device in the format of Baileys, with credentials that match each other and keys of every type. */
import { type AuthenticationCreds, Curve, initAuthCreds, proto, type SignalDataSet } from '@whiskeysockets/baileys'

export const ME = '5511999990001'
export const MY_LID = '200000000000001'
export const OTHER = '5511988880002'
export const THEIR_LID = '200000000000002'
export const GROUP = '120363000000000001@g.us'
/** Id of an old group. Such an id contains the number of the person who created the group. */
export const OLD_GROUP = '5511988880002-1612345678@g.us'

export function linked(): AuthenticationCreds {
  const creds = initAuthCreds()
  const phone = Curve.generateKeyPair()
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: 1, keyIndex: 1 }).finish()
  const own = creds.signedIdentityKey
  const accountSignature = Curve.sign(phone.private, Buffer.concat([Buffer.of(6, 0), details, own.public]))
  const signed = Buffer.concat([Buffer.of(6, 1), details, own.public, phone.public])
  const account = {
    details,
    accountSignature,
    accountSignatureKey: phone.public,
    deviceSignature: Curve.sign(own.private, signed),
  }
  return {
    ...creds,
    me: { id: `${ME}:7@s.whatsapp.net`, lid: `${MY_LID}:7@lid`, name: 'Me' },
    account: proto.ADVSignedDeviceIdentity.fromObject(account),
    additionalData: { of: 'another program' },
    nextPreKeyId: 2,
    accountSyncCounter: 0,
  }
}

/** Builds a session record. `closed` is the number of closed sessions in the same record. */
export const session = (number: number, closed = 0) => {
  const bytes = (length: number, of: number) => Buffer.alloc(length, of).toString('base64')
  const key = (type: boolean) => Buffer.concat([...(type ? [Buffer.of(5)] : []), Buffer.alloc(32, number)]).toString('base64')
  const entry = {
    registrationId: number,
    currentRatchet: {
      ephemeralKeyPair: { pubKey: key(true), privKey: key(false) },
      previousCounter: -1,
      rootKey: key(false),
      lastRemoteEphemeralKey: key(true),
    },
    indexInfo: { baseKey: key(true), baseKeyType: 1, closed: -1, used: 1, created: 1, remoteIdentityKey: key(true) },
    _chains: { [key(true)]: { chainKey: { counter: 3, key: key(false) }, chainType: 1, messageKeys: {} } },
  }
  const earlier = Array.from({ length: closed }, (_, at) => {
    const baseKey = bytes(33, 100 + at)
    return [baseKey, { ...entry, indexInfo: { ...entry.indexInfo, baseKey, closed: 1 + at } }] as const
  })
  return { _sessions: { [key(true)]: entry, ...Object.fromEntries(earlier) }, version: 'v1' } as unknown as Uint8Array
}

const senderKey = () =>
  Buffer.from(
    JSON.stringify([{ senderKeyId: 1, senderChainKey: { iteration: 0, seed: Buffer.alloc(32) }, senderMessageKeys: [] }]),
  )

export const KEYS: SignalDataSet = {
  'pre-key': { '1': Curve.generateKeyPair(), '812': Curve.generateKeyPair() },
  session: {
    [`${OTHER}.0`]: session(1),
    [`${THEIR_LID}_1.0`]: session(2),
    [`${OTHER}.3`]: session(3),
    '4915700000001.0': session(4),
  },
  'sender-key': {
    [`${GROUP}::${MY_LID}_1::7`]: senderKey(),
    [`${OLD_GROUP}::${OTHER}::0`]: senderKey(),
  },
  'sender-key-memory': { [GROUP]: { [`${OTHER}@s.whatsapp.net`]: true }, [OLD_GROUP]: { [`${OTHER}@s.whatsapp.net`]: true } },
  'identity-key': { [`${OTHER}.0`]: Buffer.alloc(33, 5) },
  'app-state-sync-key': {
    'AA/+AA==': proto.Message.AppStateSyncKeyData.fromObject({ keyData: Buffer.alloc(32, 1), timestamp: 5 }),
  },
  'app-state-sync-version': { regular: { version: 1, hash: Buffer.alloc(128), indexValueMap: {} } },
  'lid-mapping': { [OTHER]: THEIR_LID, [`${THEIR_LID}_reverse`]: OTHER },
  'device-list': { [OTHER]: ['0', '3'] },
  tctoken: { [`${THEIR_LID}@lid`]: { token: Buffer.of(1), timestamp: '1' }, __index: { token: Buffer.from('[]') } },
}
