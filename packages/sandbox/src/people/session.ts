import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal'
import { type KeyPair, typedKey } from './curve.ts'
import type { SignalBundle } from './device.ts'

/**
 * A record of sessions as JSON. It is stored as JSON because libsignal changes the record object while it decrypts:
 * after a failure, a shared object would contain incomplete changes.
 */
export interface SavedSession {
  version: string
  /** Sessions by their base key. `used` is the time in ms. `closed` is -1 while a session is open. */
  _sessions: Record<string, { indexInfo: { used: number; closed: number } }>
}

export interface OwnKeys {
  registrationId: number
  identity: KeyPair
  signedPreKey(id: number): KeyPair
  preKey(id: number): KeyPair | undefined
  usePreKey(id: number): void
}

/**
 * Returns the record as JSON. `serialize` returns this object, although the types of libsignal say that it returns
 * bytes.
 */
const save = (record: SessionRecord): SavedSession => record.serialize() as unknown as SavedSession
const load = (saved: SavedSession): SessionRecord => SessionRecord.deserialize(saved as unknown as Uint8Array)

export function hasOpenSession(saved: SavedSession | undefined): boolean {
  return saved !== undefined && load(saved).haveOpenSession()
}

export function cipherFor(keys: OwnKeys, sessions: Map<string, SavedSession>, address: string) {
  const cipher = new SessionCipher(storage(keys, sessions, address), protocolAddress(address))
  // The body is a buffer, although its declared type is string.
  return cipher as unknown as Omit<SessionCipher, 'encrypt'> & {
    encrypt(data: Uint8Array): Promise<{ type: number; body: Buffer }>
  }
}

export async function initSessionIn(
  keys: OwnKeys,
  sessions: Map<string, SavedSession>,
  address: string,
  bundle: SignalBundle,
): Promise<void> {
  const { signedPreKey, preKey } = bundle
  const theirs = {
    registrationId: bundle.registrationId,
    identityKey: typedKey(bundle.identity),
    signedPreKey: {
      keyId: signedPreKey.id,
      publicKey: typedKey(signedPreKey.publicKey),
      signature: Buffer.from(signedPreKey.signature),
    },
    ...(preKey ? { preKey: { keyId: preKey.id, publicKey: typedKey(preKey.publicKey) } } : {}),
  }
  const builder = new SessionBuilder(storage(keys, sessions, address), protocolAddress(address))
  // libsignal's types require a one-time key, but the protocol also allows a session without one.
  await builder.initOutgoing(theirs as Parameters<SessionBuilder['initOutgoing']>[0])
}

/**
 * Decrypts a message with the first session that fits, and tries each session on a separate copy. libsignal itself
 * tries all of them on the same record, and so breaks the sessions that do not fit.
 */
export async function readMessage(
  keys: OwnKeys,
  sessions: Map<string, SavedSession>,
  address: string,
  ciphertext: Buffer,
): Promise<Uint8Array> {
  const record = sessions.get(address)
  if (!record) throw new Error(`no session with ${address}`)
  const failures: string[] = []
  const latestFirst = Object.entries(record._sessions).sort(([, a], [, b]) => b.indexInfo.used - a.indexInfo.used)
  for (const [baseKey, session] of latestFirst) {
    const alone = new Map([[address, { version: record.version, _sessions: { [baseKey]: session } }]])
    try {
      const plaintext = await cipherFor(keys, alone, address).decryptWhisperMessage(ciphertext)
      sessions.set(address, { ...record, _sessions: { ...record._sessions, ...alone.get(address)!._sessions } })
      return plaintext
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new Error(`none of ${failures.length} sessions with ${address} can decrypt this message: ${failures.join('; ')}`)
}

function storage(keys: OwnKeys, sessions: Map<string, SavedSession>, address: string): SignalStorage {
  return {
    loadSession: async () => {
      const saved = sessions.get(address)
      return saved && load(saved)
    },
    storeSession: async (_, record) => {
      sessions.set(address, save(record))
    },
    // Simulated people accept a changed identity key, as phones do by default.
    isTrustedIdentity: () => true,
    loadPreKey: async (id) => keys.preKey(Number(id)),
    removePreKey: (id) => keys.usePreKey(id),
    // The types declare no argument, but libsignal passes the id of the key.
    loadSignedPreKey: ((id: number) => keys.signedPreKey(id)) as SignalStorage['loadSignedPreKey'],
    getOurRegistrationId: () => keys.registrationId,
    getOurIdentity: () => keys.identity,
  }
}

function protocolAddress(address: string): ProtocolAddress {
  const dot = address.lastIndexOf('.')
  const device = Number(address.slice(dot + 1))
  if (dot < 1 || !Number.isInteger(device)) throw new Error(`not a Signal address: ${address}`)
  return new ProtocolAddress(address.slice(0, dot), device)
}
