/**
 * Converts sessions between the JSON of the JavaScript Signal library and libsignal's format. The WebAssembly module
 * misreads this JSON.
 */
import { hkdfSync } from 'node:crypto'
import { allBytesOf, bytesOf, lengthDelimited, numberIn, varintField } from './wire.ts'

/** Keys of this device. The identity key includes its type byte (33 bytes). */
export interface OwnDevice {
  identityKey: Uint8Array
  registrationId: number
}

interface JsonChain {
  chainKey: { counter: number; key?: string }
  /** Kind of the chain: 1 is a sending chain, 2 a receiving chain. */
  chainType: number
  /** Seeds of the skipped message keys in base64, by the index of the key. */
  messageKeys: Record<string, string>
}

interface JsonSession {
  registrationId: number
  currentRatchet: {
    ephemeralKeyPair: { pubKey: string; privKey: string }
    lastRemoteEphemeralKey: string
    previousCounter: number
    rootKey: string
  }
  /**
   * `closed`: -1 for the session in use, otherwise the time in epoch ms at which it was replaced. `baseKeyType`: 1
   * for our own base key, 2 for that of the other side.
   */
  indexInfo: { baseKey: string; baseKeyType: number; closed: number; used: number; created: number; remoteIdentityKey: string }
  pendingPreKey?: { preKeyId?: number; signedKeyId: number; baseKey: string }
  /** Chains by the public key of their ratchet in base64, in the order of their creation. */
  _chains: Record<string, JsonChain>
}

const SENDING = 1
const RECEIVING = 2
/**
 * Value of `baseKeyType` in all written JSON, because libsignal does not store which side created the base key. With
 * the value for our own key, the JavaScript library would throw for a repeated pre-key message.
 */
const BASE_KEY_IS_THEIRS = 2
const OPEN = -1
const MAX_RECEIVER_CHAINS = 5
const MAX_ARCHIVED = 40

const RECORD = { current: 1, archived: 2 } as const
const SESSION = {
  version: 1,
  localIdentity: 2,
  remoteIdentity: 3,
  rootKey: 4,
  previousCounter: 5,
  senderChain: 6,
  receiverChains: 7,
  pendingPreKey: 9,
  remoteRegistrationId: 10,
  localRegistrationId: 11,
  baseKey: 13,
} as const
const CHAIN = { ratchetKey: 1, ratchetPrivateKey: 2, chainKey: 3, messageKeys: 4 } as const
const CHAIN_KEY = { index: 1, key: 2 } as const
const MESSAGE_KEY = { index: 1, cipherKey: 2, macKey: 3, iv: 4 } as const
const PENDING = { preKeyId: 1, baseKey: 2, signedPreKeyId: 3 } as const

/**
 * The open session becomes the current one, the others are archived. Undefined if there is no session, or if a value is
 * missing or invalid: a partly converted record would fail later without a visible reason.
 */
export function recordFromJson(stored: Uint8Array, own: OwnDevice): Uint8Array | undefined {
  try {
    const { _sessions: sessions } = JSON.parse(Buffer.from(stored).toString()) as { _sessions: Record<string, JsonSession> }
    const all = Object.values(sessions)
    if (all.length === 0) return undefined
    const open = all.find(({ indexInfo }) => indexInfo.closed === OPEN)
    const closed = all.filter((session) => session !== open).sort((one, other) => other.indexInfo.used - one.indexInfo.used)
    return Buffer.concat([
      ...(open ? [lengthDelimited(RECORD.current, sessionBytes(open, own))] : []),
      ...closed.slice(0, MAX_ARCHIVED).map((session) => lengthDelimited(RECORD.archived, sessionBytes(session, own))),
    ])
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}

function sessionBytes(
  { registrationId, currentRatchet, indexInfo, pendingPreKey, _chains }: JsonSession,
  own: OwnDevice,
): Uint8Array {
  const { ephemeralKeyPair: ours, previousCounter, rootKey } = currentRatchet
  const sending = _chains[ours.pubKey]
  const receiving = Object.entries(_chains).filter(([, { chainType }]) => chainType === RECEIVING)
  return Buffer.concat([
    varintField(SESSION.version, 3),
    lengthDelimited(SESSION.localIdentity, own.identityKey),
    lengthDelimited(SESSION.remoteIdentity, bytes(indexInfo.remoteIdentityKey, 33)),
    lengthDelimited(SESSION.rootKey, bytes(rootKey, 32)),
    // The JavaScript library starts counters at -1, which a varint cannot contain.
    varintField(SESSION.previousCounter, Math.max(0, previousCounter)),
    ...(sending ? [lengthDelimited(SESSION.senderChain, chainBytes(ours.pubKey, sending, bytes(ours.privKey, 32)))] : []),
    ...receiving
      .slice(-MAX_RECEIVER_CHAINS)
      .map(([key, chain]) => lengthDelimited(SESSION.receiverChains, chainBytes(key, chain))),
    ...(pendingPreKey ? [lengthDelimited(SESSION.pendingPreKey, pendingBytes(pendingPreKey))] : []),
    varintField(SESSION.remoteRegistrationId, registrationId),
    varintField(SESSION.localRegistrationId, own.registrationId),
    lengthDelimited(SESSION.baseKey, bytes(indexInfo.baseKey, 33)),
  ])
}

function chainBytes(ratchetKey: string, { chainKey, messageKeys }: JsonChain, privateKey?: Uint8Array): Uint8Array {
  return Buffer.concat([
    lengthDelimited(CHAIN.ratchetKey, bytes(ratchetKey, 33)),
    ...(privateKey ? [lengthDelimited(CHAIN.ratchetPrivateKey, privateKey)] : []),
    lengthDelimited(
      CHAIN.chainKey,
      Buffer.concat([
        // The JavaScript library stores the index of the last used key, but libsignal stores that of the next key.
        varintField(CHAIN_KEY.index, chainKey.counter + 1),
        // A closed chain has no key, so zeros are stored. Its skipped message keys remain usable.
        lengthDelimited(CHAIN_KEY.key, chainKey.key === undefined ? Buffer.alloc(32) : bytes(chainKey.key, 32)),
      ]),
    ),
    ...Object.entries(messageKeys).map(([index, seed]) =>
      lengthDelimited(CHAIN.messageKeys, messageKeyBytes(Number(index), seed)),
    ),
  ])
}

function messageKeyBytes(index: number, seed: string): Uint8Array {
  const derived = Buffer.from(hkdfSync('sha256', bytes(seed, 32), Buffer.alloc(32), 'WhisperMessageKeys', 80))
  return Buffer.concat([
    varintField(MESSAGE_KEY.index, index),
    lengthDelimited(MESSAGE_KEY.cipherKey, derived.subarray(0, 32)),
    lengthDelimited(MESSAGE_KEY.macKey, derived.subarray(32, 64)),
    lengthDelimited(MESSAGE_KEY.iv, derived.subarray(64)),
  ])
}

function pendingBytes({ preKeyId, signedKeyId, baseKey }: NonNullable<JsonSession['pendingPreKey']>): Uint8Array {
  return Buffer.concat([
    ...(preKeyId === undefined ? [] : [varintField(PENDING.preKeyId, preKeyId)]),
    lengthDelimited(PENDING.baseKey, bytes(baseKey, 33)),
    varintField(PENDING.signedPreKeyId, signedKeyId),
  ])
}

export interface SessionJson {
  json: { _sessions: Record<string, JsonSession>; version: 'v1' }
  /**
   * Number of skipped message keys that could not be converted. Baileys needs their seeds, which libsignal does not
   * store.
   */
  lostMessageKeys: number
}

/**
 * `now` (epoch ms) is used for times that libsignal does not store. Undefined if the bytes are not a record with a
 * session, or if a session lacks a required field.
 */
export function jsonFromRecord(record: Uint8Array, now: number): SessionJson | undefined {
  try {
    const found = sessionsIn(record)
    const sessions = found.map(({ bytes: session, isCurrent }, index) =>
      jsonSession(session, isCurrent ? OPEN : now - index, now),
    )
    if (sessions.length === 0) return undefined
    return {
      json: { _sessions: Object.fromEntries(sessions.map((each) => [each.indexInfo.baseKey, each])), version: 'v1' },
      lostMessageKeys: found.reduce((sum, { bytes: session }) => sum + messageKeysIn(session), 0),
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns the current session first, then the archived ones, most recently used first. */
function sessionsIn(record: Uint8Array): { bytes: Uint8Array; isCurrent: boolean }[] {
  return [
    ...allBytesOf(record, RECORD.current).map((session) => ({ bytes: session, isCurrent: true })),
    ...allBytesOf(record, RECORD.archived).map((session) => ({ bytes: session, isCurrent: false })),
  ]
}

function jsonSession(session: Uint8Array, closed: number, now: number): JsonSession {
  const sending = need(session, SESSION.senderChain)
  const receiving = allBytesOf(session, SESSION.receiverChains)
  const pending = bytesOf(session, SESSION.pendingPreKey)
  const ours = base64(need(sending, CHAIN.ratchetKey))
  const newest = receiving.at(-1)
  const chains = [...receiving.map((chain) => chainJson(chain, RECEIVING)), chainJson(sending, SENDING)]
  return {
    registrationId: numberIn(session, SESSION.remoteRegistrationId),
    currentRatchet: {
      ephemeralKeyPair: { pubKey: ours, privKey: base64(need(sending, CHAIN.ratchetPrivateKey)) },
      // Before the other side's first answer there is no receiving chain, so a placeholder is written.
      lastRemoteEphemeralKey: base64(newest ? need(newest, CHAIN.ratchetKey) : Buffer.alloc(33, 5)),
      previousCounter: numberIn(session, SESSION.previousCounter),
      rootKey: base64(need(session, SESSION.rootKey)),
    },
    indexInfo: {
      baseKey: base64(need(session, SESSION.baseKey)),
      baseKeyType: BASE_KEY_IS_THEIRS,
      closed,
      used: closed === OPEN ? now : closed,
      created: now,
      remoteIdentityKey: base64(need(session, SESSION.remoteIdentity)),
    },
    ...(pending ? { pendingPreKey: pendingJson(pending) } : {}),
    _chains: Object.fromEntries(chains),
  }
}

function chainJson(chain: Uint8Array, chainType: number): [ratchetKey: string, chain: JsonChain] {
  const key = need(chain, CHAIN.chainKey)
  const bytesOfKey = bytesOf(key, CHAIN_KEY.key)
  const isClosed = bytesOfKey === undefined || bytesOfKey.every((byte) => byte === 0)
  const chainKey = { counter: numberIn(key, CHAIN_KEY.index) - 1, ...(isClosed ? {} : { key: base64(bytesOfKey) }) }
  return [base64(need(chain, CHAIN.ratchetKey)), { chainKey, chainType, messageKeys: {} }]
}

function pendingJson(pending: Uint8Array): NonNullable<JsonSession['pendingPreKey']> {
  const preKeyId = numberIn(pending, PENDING.preKeyId)
  return {
    ...(preKeyId === 0 ? {} : { preKeyId }),
    signedKeyId: numberIn(pending, PENDING.signedPreKeyId),
    baseKey: base64(need(pending, PENDING.baseKey)),
  }
}

const messageKeysIn = (session: Uint8Array): number =>
  allBytesOf(session, SESSION.receiverChains).reduce((sum, chain) => sum + allBytesOf(chain, CHAIN.messageKeys).length, 0)

const base64 = (key: Uint8Array) => Buffer.from(key).toString('base64')

/** Returns a field. Throws a RangeError if the field is absent. */
function need(message: Uint8Array, number: number): Uint8Array {
  const found = bytesOf(message, number)
  if (found === undefined) throw new RangeError(`field ${number} is absent`)
  return found
}

/**
 * Decodes base64. Throws a RangeError if the result has another length, because with such a key every message would
 * fail.
 */
function bytes(base64: string, length: number): Uint8Array {
  const decoded = Buffer.from(base64, 'base64')
  if (decoded.length !== length) throw new RangeError(`a key must have ${length} bytes, not ${decoded.length}`)
  return decoded
}
