/**
 * Encodes keys and credentials as bytes. Byte values stay unchanged. A key pair becomes its two keys in a row; every
 * other value is text, JSON or protobuf.
 */
import { type AuthenticationCreds, BufferJSON, proto, type SignalDataTypeMap } from '@whiskeysockets/baileys'
import type { KeyType } from '../key-store.ts'
import { keyPairBytes, keyPairFrom } from './key-pair.ts'

interface Codec<T> {
  bytes(value: T): Uint8Array
  from(stored: Uint8Array): T
}

const raw: Codec<Uint8Array> = { bytes: (value) => value, from: (stored) => stored }

const text: Codec<string> = { bytes: (value) => Buffer.from(value), from: (stored) => Buffer.from(stored).toString() }

const json = <T>(): Codec<T> => ({
  bytes: (value) => Buffer.from(JSON.stringify(value)),
  from: (stored) => JSON.parse(text.from(stored)),
})

/** Bytes inside the JSON are encoded as in Baileys: `{ type: 'Buffer', data: base64 }`. */
const jsonWithBytes = <T>(): Codec<T> => ({
  bytes: (value) => Buffer.from(JSON.stringify(value, BufferJSON.replacer)),
  from: (stored) => JSON.parse(text.from(stored), BufferJSON.reviver),
})

const CODECS: { [T in KeyType]: Codec<SignalDataTypeMap[T]> } = {
  'pre-key': { bytes: keyPairBytes, from: keyPairFrom },
  session: raw,
  'sender-key': raw,
  'identity-key': raw,
  'sender-key-memory': json(),
  'device-list': json(),
  'lid-mapping': text,
  tctoken: jsonWithBytes(),
  'app-state-sync-version': jsonWithBytes(),
  'app-state-sync-key': {
    bytes: (value) => proto.Message.AppStateSyncKeyData.encode(value).finish(),
    from: (stored) => proto.Message.AppStateSyncKeyData.decode(stored),
  },
}

export const keyBytes = <T extends KeyType>(type: T, value: unknown): Uint8Array =>
  CODECS[type].bytes(value as SignalDataTypeMap[T])

export const keyFrom = <T extends KeyType>(type: T, stored: Uint8Array): SignalDataTypeMap[T] => CODECS[type].from(stored)

const credsJson = jsonWithBytes<{ v: 1; creds: AuthenticationCreds; account?: Uint8Array }>()

/**
 * The account is stored as protobuf, separately from the other fields: its JSON would contain bytes as plain base64,
 * which is not decoded.
 */
export function credsBytes({ account, ...creds }: AuthenticationCreds): Uint8Array {
  const record = { v: 1 as const, creds: creds as AuthenticationCreds }
  return credsJson.bytes(account ? { ...record, account: proto.ADVSignedDeviceIdentity.encode(account).finish() } : record)
}

export function credsFrom(stored: Uint8Array): AuthenticationCreds {
  const { v, creds, account } = credsJson.from(stored)
  if (v !== 1) throw new Error(`credentials of version ${v} are not supported`)
  return account ? { ...creds, account: proto.ADVSignedDeviceIdentity.decode(account) } : creds
}
