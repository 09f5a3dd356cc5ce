/**
 * Operations with Signal sessions. Each loads one session, uses it, and returns the changes. The caller has locked the
 * address, and commits the changes.
 */
import type { AuthenticationCreds, SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys'
import { SessionBuilder, SessionCipher, type SignalStorage } from 'whatsapp-rust-bridge'
import type { KeyChange, KeyReader } from '../key-store.ts'
import { type Address, addressId } from './address/address-book.ts'
import { requiredIdentity } from './address/phone-identity.ts'
import { signalError } from './errors.ts'
import { keyPairFrom } from './key-pair.ts'
import type { OwnDevice } from './session-json.ts'
import { identityIn, usableSession, withOthersUntouched } from './session-record.ts'
import { protocolAddress, typedPair, withObjects } from './wasm.ts'
import { bytesOf } from './wire.ts'

export interface SessionKeys {
  keys: KeyReader
  creds: () => AuthenticationCreds
}

export interface Advanced<T> {
  result: T
  changes: KeyChange[]
}

type Bundle = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session']

export const ownDevice = ({ signedIdentityKey, registrationId }: AuthenticationCreds): OwnDevice => ({
  identityKey: typedPair(signedIdentityKey).pubKey,
  registrationId,
})

/**
 * Returns the session with the device at this address. If the address is that of the account's own phone, a session
 * with any other device counts as no session.
 */
export async function loadSession({ keys, creds }: SessionKeys, address: Address): Promise<Uint8Array | undefined> {
  const session = usableSession(await keys.get('session', addressId(address)), () => ownDevice(creds()))
  const identity = session && identityIn(session)
  return identity && !isTrusted(requiredIdentity(creds(), address), identity) ? undefined : session
}

const isTrusted = (required: Uint8Array | undefined, identity: Uint8Array) =>
  required === undefined || Buffer.compare(required, identity) === 0

export async function encryptWith(deps: SessionKeys, address: Address, data: Uint8Array) {
  const session = await loadSession(deps, address)
  return operate(deps, address, session, 'encrypt', (storage, own) =>
    own(new SessionCipher(storage, own(protocolAddress(address)))).encrypt(data),
  )
}

export async function decryptWith(
  deps: SessionKeys,
  address: Address,
  type: 'pkmsg' | 'msg',
  ciphertext: Uint8Array,
): Promise<Advanced<Uint8Array>> {
  const identity = type === 'pkmsg' ? identityOf(ciphertext) : undefined
  const { session, changes: identityChanges } = await withIdentity(deps, address, identity)
  const { result, changes } = await operate(deps, address, session, 'decrypt', (storage, own) => {
    const cipher = own(new SessionCipher(storage, own(protocolAddress(address))))
    return type === 'pkmsg' ? cipher.decryptPreKeyWhisperMessage(ciphertext) : cipher.decryptWhisperMessage(ciphertext)
  })
  const kept = changes.map(
    (change): KeyChange =>
      change[0] === 'session' && change[2] && session ? [change[0], change[1], withOthersUntouched(session, change[2])] : change,
  )
  return { result, changes: [...kept, ...identityChanges] }
}

/** The current session is archived. If the device has another identity, its old sessions are removed. */
export async function startSession(deps: SessionKeys, address: Address, bundle: Bundle): Promise<Advanced<void>> {
  const { registrationId, identityKey, signedPreKey, preKey } = bundle
  const { session, changes: identityChanges } = await withIdentity(deps, address, identityKey)
  const { changes } = await operate(deps, address, session, 'encrypt', (storage, own) =>
    own(new SessionBuilder(storage, own(protocolAddress(address)))).processPreKeyBundle({
      registrationId,
      identityKey,
      signedPreKey: { keyId: signedPreKey.keyId, publicKey: signedPreKey.publicKey, signature: signedPreKey.signature },
      preKey: preKey && { keyId: preKey.keyId, publicKey: preKey.publicKey },
    }),
  )
  return { result: undefined, changes: [...changes, ...identityChanges] }
}

/**
 * Returns the session, and the change that stores a new identity. A changed identity replaces the old sessions only
 * together with the operation's own changes, so that an invalid message destroys no session.
 */
async function withIdentity(deps: SessionKeys, address: Address, identity: Uint8Array | undefined) {
  const id = addressId(address)
  const { keys } = deps
  const session = await loadSession(deps, address)
  if (!identity) return { session, changes: [] }
  const known = await keys.get('identity-key', id)
  if (known && Buffer.compare(known, identity) === 0) return { session, changes: [] }
  const changes: KeyChange[] = [['identity-key', id, Uint8Array.from(identity)]]
  return { session: known ? undefined : session, changes }
}

const IDENTITY_KEY = 3

/**
 * Returns the identity key in a pre-key message, which the module does not expose. It is field 3 of a
 * PreKeySignalMessage, after a version byte.
 */
function identityOf(pkmsg: Uint8Array): Uint8Array | undefined {
  if (pkmsg.length < 2 || (pkmsg[0]! & 0xf) !== 3) return undefined
  try {
    const identity = bytesOf(pkmsg.subarray(1), IDENTITY_KEY)
    return identity?.length === 33 ? identity : undefined
  } catch {
    // The bytes are not a protobuf; the module reports the reason when it decrypts.
    return undefined
  }
}

/**
 * Each operation gets new objects, because a cipher may keep a session that it has read. Changes are collected, so that
 * they become durable in one step.
 */
async function operate<T>(
  { keys, creds }: SessionKeys,
  address: Address,
  loaded: Uint8Array | undefined,
  use: 'encrypt' | 'decrypt',
  work: (storage: SignalStorage, own: <O extends { free(): void }>(object: O) => O) => Promise<T>,
): Promise<Advanced<T>> {
  let session: Uint8Array | undefined
  let usedPreKey: number | undefined
  /** An error of our storage. The module's error contains only the text of this error. */
  let ours: unknown

  const storage: SignalStorage = {
    loadSession: () => session ?? loaded,
    storeSession(_id, record) {
      try {
        session = record.serialize()
      } finally {
        record.free()
      }
    },
    getOurIdentity: () => typedPair(creds().signedIdentityKey),
    getOurRegistrationId: () => creds().registrationId,
    isTrustedIdentity: (_name, identity) => isTrusted(requiredIdentity(creds(), address), identity),
    async loadPreKey(id) {
      try {
        const stored = await keys.get('pre-key', String(id))
        return stored && typedPair(keyPairFrom(stored))
      } catch (error) {
        ours = error
        throw error
      }
    },
    removePreKey(id) {
      usedPreKey = id
    },
    loadSignedPreKey(id) {
      const { keyId, keyPair, signature } = creds().signedPreKey
      return id === keyId ? { keyId, keyPair: typedPair(keyPair), signature } : undefined
    },
    loadSenderKey: () => undefined,
    storeSenderKey() {
      throw new Error('a session has no sender key')
    },
  }

  try {
    const result = await withObjects((own) => work(storage, own))
    const changes: KeyChange[] = []
    if (session) changes.push(['session', addressId(address), session])
    if (usedPreKey !== undefined) changes.push(['pre-key', String(usedPreKey), null])
    return { result, changes }
  } catch (error) {
    throw ours ?? signalError(error, use)
  }
}
