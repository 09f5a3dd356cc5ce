import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  type SignalStorage,
} from 'whatsapp-rust-bridge'
import type { KeyChange, KeyReader } from '../key-store.ts'
import type { Address } from './address/address-book.ts'
import { signalError } from './errors.ts'
import type { Advanced } from './session.ts'
import { protocolAddress, withObjects } from './wasm.ts'
import { checkFields, FieldReader } from './wire.ts'

/**
 * Author of a sender key in a group. `literal`: the author's address as in the stanza. A key that arrived before the
 * author's LID was known is stored under this address.
 */
export interface SenderName {
  group: string
  author: Address
  literal: Address
}

const senderId = (group: string, { name, device }: Address) => `${group}::${name}::${device}`

export const senderLine = ({ group, author }: SenderName) => senderId(group, author)

export function decryptGroup(keys: KeyReader, name: SenderName, ciphertext: Uint8Array): Promise<Advanced<Uint8Array>> {
  return operate(keys, name, 'decrypt', (storage, own) =>
    own(new GroupCipher(storage, name.group, own(protocolAddress(name.author)))).decrypt(ciphertext),
  )
}

/**
 * Encrypts for a group, with a sender key that is created at first use. Also returns the distribution message for
 * devices that lack the key.
 */
export function encryptGroup(keys: KeyReader, name: SenderName, data: Uint8Array) {
  return operate(keys, name, 'encrypt', async (storage, own) => {
    const address = own(protocolAddress(name.author))
    const distribution = await distributionOf(storage, own, name, address)
    return { distribution, ciphertext: await own(new GroupCipher(storage, name.group, address)).encrypt(data) }
  })
}

export function ownDistribution(keys: KeyReader, name: SenderName): Promise<Advanced<Uint8Array>> {
  return operate(keys, name, 'encrypt', (storage, own) => distributionOf(storage, own, name, own(protocolAddress(name.author))))
}

export function acceptDistribution(keys: KeyReader, name: SenderName, distribution: Uint8Array): Promise<Advanced<void>> {
  return operate(keys, name, 'decrypt', (storage, own) => {
    const senderKeyName = own(new SenderKeyName(name.group, own(protocolAddress(name.author))))
    return own(new GroupSessionBuilder(storage)).process(
      senderKeyName,
      own(SenderKeyDistributionMessage.deserialize(distribution)),
    )
  })
}

type Own = <O extends { free(): void }>(object: O) => O

async function distributionOf(storage: SignalStorage, own: Own, name: SenderName, address: ReturnType<typeof protocolAddress>) {
  const senderKeyName = own(new SenderKeyName(name.group, address))
  const message = own(await own(new GroupSessionBuilder(storage)).create(senderKeyName))
  return message.serialize()
}

async function operate<T>(
  keys: KeyReader,
  name: SenderName,
  use: 'encrypt' | 'decrypt',
  work: (storage: SignalStorage, own: Own) => Promise<T>,
): Promise<Advanced<T>> {
  const loaded = await loadSenderKey(keys, name)
  let stored: Uint8Array | undefined
  const storage: SignalStorage = {
    loadSenderKey: () => stored ?? loaded?.record,
    storeSenderKey(_id, record) {
      stored = record
    },
    loadSession: () => undefined,
    storeSession: noSession,
    getOurIdentity: noSession,
    getOurRegistrationId: noSession,
    isTrustedIdentity: () => true,
    loadPreKey: () => undefined,
    removePreKey: noSession,
    loadSignedPreKey: () => undefined,
  }
  try {
    const result = await withObjects((own) => work(storage, own))
    const changes: KeyChange[] = []
    if (stored) {
      changes.push(['sender-key', senderLine(name), stored])
      if (loaded && loaded.id !== senderLine(name)) changes.push(['sender-key', loaded.id, null])
    }
    return { result, changes }
  } catch (error) {
    throw signalError(error, use)
  }
}

function noSession(): never {
  throw new Error(
    'Signal asked for a session or key of a contact while it encrypted or decrypted with a sender key, which uses neither; the library has changed',
  )
}

export async function hasSenderKey(keys: KeyReader, name: SenderName): Promise<boolean> {
  return (await loadSenderKey(keys, name)) !== undefined
}

async function loadSenderKey(keys: KeyReader, { group, author, literal }: SenderName) {
  const ids = new Set([senderId(group, author), senderId(group, literal)])
  for (const id of ids) {
    const record = await keys.get('sender-key', id)
    if (record && isSenderKey(record)) return { id, record }
  }
  return undefined
}

/** Returns false for truncated bytes, and true for JSON of the JavaScript library. */
function isSenderKey(record: Uint8Array): boolean {
  if (record.length === 0) return false
  if (record[0] === 0x5b) return true
  try {
    const reader = new FieldReader(record)
    while (reader.next()) checkFields(reader.bytes ?? record)
    return true
  } catch {
    // A RangeError means that the record is not a sender key.
    return false
  }
}
