import { randomInt } from 'node:crypto'
import * as v from 'valibot'
import {
  agreement,
  bareKey,
  isSignedBy,
  type KeyPair,
  newKeyPair,
  newSigningPair,
  type SigningPair,
  sign,
  signingPair,
  typedKey,
} from './curve.ts'
import type { SignalBundle, SignalDevice } from './device.ts'
import { createLines } from './lines.ts'
import { silenceLibsignal } from './quiet.ts'
import {
  type AuthorSenderKey,
  AuthorSenderKeySchema,
  distributionOf,
  MAX_KEYS_PER_AUTHOR,
  newSenderKey,
  type OwnSenderKey,
  OwnSenderKeySchema,
  readDistribution,
  sealWithSenderKey,
  unsealWithSenderKey,
} from './sender-key.ts'
import { cipherFor, hasOpenSession, initSessionIn, readMessage, type SavedSession } from './session.ts'

silenceLibsignal()

const SavedKeyPair = v.object({ public: v.string(), private: v.string() })

const SavedDevice = v.object({
  v: v.literal(1),
  registrationId: v.number(),
  identity: v.string(),
  signedPreKey: v.object({ id: v.number(), key: SavedKeyPair, signature: v.string() }),
  formerSignedPreKeys: v.optional(v.record(v.string(), SavedKeyPair), {}),
  nextPreKeyId: v.number(),
  /** One-time keys that were given to senders whose first messages have not arrived yet. */
  preKeys: v.record(v.string(), SavedKeyPair),
  sessions: v.record(
    v.string(),
    v.custom<SavedSession>((value) => typeof value === 'object' && value !== null),
  ),
  ownSenderKeys: v.record(v.string(), OwnSenderKeySchema),
  senderKeys: v.record(v.string(), v.array(AuthorSenderKeySchema)),
})

interface DeviceState {
  registrationId: number
  identity: SigningPair
  signedPreKey: { id: number; key: KeyPair; signature: Buffer }
  formerSignedPreKeys: Map<number, KeyPair>
  nextPreKeyId: number
  preKeys: Map<number, KeyPair>
  sessions: Map<string, SavedSession>
  ownSenderKeys: Map<string, OwnSenderKey>
  senderKeys: Map<string, AuthorSenderKey[]>
}

/** Maximum number of previous signed pre-keys that are kept for messages on their way. */
const FORMER_KEPT = 2

export const createSignalDevice = (): SignalDevice => deviceOver(freshState())

function freshState(): DeviceState {
  const identity = newSigningPair()
  return {
    registrationId: randomInt(1, 0x3fff),
    identity,
    signedPreKey: newSignedPreKey(identity, 1),
    formerSignedPreKeys: new Map(),
    nextPreKeyId: 1,
    preKeys: new Map(),
    sessions: new Map(),
    ownSenderKeys: new Map(),
    senderKeys: new Map(),
  }
}

function newSignedPreKey(identity: SigningPair, id: number): DeviceState['signedPreKey'] {
  const key = newKeyPair()
  return { id, key, signature: sign(identity, key.pubKey) }
}

/**
 * Restores a device. `saved` is the result of `save()`, possibly converted to JSON and back. Throws if it is not valid.
 */
export function restoreSignalDevice(saved: unknown): SignalDevice {
  const data = v.parse(SavedDevice, saved)
  const { id, key, signature } = data.signedPreKey
  return deviceOver({
    registrationId: data.registrationId,
    identity: signingPair(Buffer.from(data.identity, 'base64')),
    signedPreKey: { id, key: loadPair(key), signature: Buffer.from(signature, 'base64') },
    formerSignedPreKeys: loadPairs(data.formerSignedPreKeys),
    nextPreKeyId: data.nextPreKeyId,
    preKeys: loadPairs(data.preKeys),
    sessions: new Map(Object.entries(data.sessions)),
    ownSenderKeys: new Map(Object.entries(data.ownSenderKeys)),
    senderKeys: new Map(Object.entries(data.senderKeys)),
  })
}

function deviceOver(state: DeviceState): SignalDevice {
  const inLine = createLines()
  // Getters read the state at each use, because keys can be replaced.
  const keys = {
    get registrationId() {
      return state.registrationId
    },
    get identity() {
      return state.identity
    },
    signedPreKey: (id: number) => state.formerSignedPreKeys.get(id) ?? state.signedPreKey.key,
    preKey: (id: number) => state.preKeys.get(id),
    usePreKey: (id: number) => {
      state.preKeys.delete(id)
    },
  }
  const cipher = (address: string) => cipherFor(keys, state.sessions, address)

  return {
    get registrationId() {
      return state.registrationId
    },
    get identity() {
      return bareKey(state.identity.pubKey)
    },
    bundle: (take) => bundleOf(state, take),
    hasSession: (address) => hasOpenSession(state.sessions.get(address)),
    openSession: (address, bundle) =>
      inLine(address, async () => {
        if (!isSignedBy(bundle.identity, typedKey(bundle.signedPreKey.publicKey), bundle.signedPreKey.signature)) {
          throw new Error(`the signed pre-key of ${address} is not signed by its identity`)
        }
        await initSessionIn(keys, state.sessions, address, bundle)
      }),
    dropSession: (address) => {
      state.sessions.delete(address)
    },
    encrypt: (address, plaintext) =>
      inLine(address, async () => {
        const { type, body } = await cipher(address).encrypt(Buffer.from(plaintext))
        return { type: type === 3 ? ('pkmsg' as const) : ('msg' as const), ciphertext: body }
      }),
    decrypt: (address, type, ciphertext) =>
      inLine(address, () =>
        type === 'pkmsg'
          ? cipher(address).decryptPreKeyWhisperMessage(Buffer.from(ciphertext))
          : readMessage(keys, state.sessions, address, Buffer.from(ciphertext)),
      ),
    senderKey: (group) => inLine(group, async () => distributionOf(ownSenderKey(state, group))),
    dropSenderKey: (group) => {
      state.ownSenderKeys.delete(group)
    },
    encryptGroup: (group, plaintext) =>
      inLine(group, async () => {
        const { ciphertext, next } = sealWithSenderKey(ownSenderKey(state, group), plaintext)
        state.ownSenderKeys.set(group, next)
        return ciphertext
      }),
    acceptSenderKey: (group, author, distribution) =>
      inLine(`${group} ${author}`, async () => acceptSenderKey(state, `${group} ${author}`, readDistribution(distribution))),
    decryptGroup: (group, author, ciphertext) =>
      inLine(`${group} ${author}`, async () => {
        const known = state.senderKeys.get(`${group} ${author}`)
        if (!known) throw new Error(`no sender key of ${author} for ${group}`)
        const { plaintext, advanced } = unsealWithSenderKey(known, ciphertext)
        const rest = known.map((key) => (key.id === advanced.id ? advanced : key))
        state.senderKeys.set(`${group} ${author}`, rest)
        return plaintext
      }),
    rotateSignedPreKey() {
      const { id, key } = state.signedPreKey
      const former = [...state.formerSignedPreKeys, [id, key] as const].slice(-FORMER_KEPT)
      state.formerSignedPreKeys = new Map(former)
      state.signedPreKey = newSignedPreKey(state.identity, id + 1)
    },
    renew: () => void Object.assign(state, freshState()),
    sign: (message) => sign(state.identity, message),
    agree: (publicKey) => agreement(publicKey, state.identity.privKey),
    save: () => saved(state),
  }
}

/** Returns the device's keys. One-time keys are made when they are needed, so they never run out. */
function bundleOf(state: DeviceState, take: boolean): SignalBundle {
  const { signedPreKey } = state
  return {
    registrationId: state.registrationId,
    identity: bareKey(state.identity.pubKey),
    signedPreKey: { id: signedPreKey.id, publicKey: bareKey(signedPreKey.key.pubKey), signature: signedPreKey.signature },
    ...(take ? { preKey: newPreKey(state) } : {}),
  }
}

function newPreKey(state: DeviceState): { id: number; publicKey: Uint8Array } {
  const id = state.nextPreKeyId++
  const pair = newKeyPair()
  state.preKeys.set(id, pair)
  return { id, publicKey: bareKey(pair.pubKey) }
}

function ownSenderKey(state: DeviceState, group: string): OwnSenderKey {
  const known = state.ownSenderKeys.get(group)
  if (known) return known
  const fresh = newSenderKey()
  state.ownSenderKeys.set(group, fresh)
  return fresh
}

/**
 * Stores a key that an author has distributed. A known key whose chain is as far or further stays unchanged, because
 * the seeds of skipped messages are still needed.
 */
function acceptSenderKey(state: DeviceState, line: string, key: AuthorSenderKey): void {
  const known = state.senderKeys.get(line) ?? []
  const same = known.find(({ id, publicKey }) => id === key.id && publicKey === key.publicKey)
  if (same && same.iteration >= key.iteration) return
  state.senderKeys.set(line, [key, ...known.filter(({ id }) => id !== key.id)].slice(0, MAX_KEYS_PER_AUTHOR))
}

function saved(state: DeviceState): v.InferOutput<typeof SavedDevice> {
  const { signedPreKey } = state
  return {
    v: 1,
    registrationId: state.registrationId,
    identity: state.identity.seed.toString('base64'),
    signedPreKey: {
      id: signedPreKey.id,
      key: savePair(signedPreKey.key),
      signature: signedPreKey.signature.toString('base64'),
    },
    formerSignedPreKeys: savePairs(state.formerSignedPreKeys),
    nextPreKeyId: state.nextPreKeyId,
    preKeys: savePairs(state.preKeys),
    sessions: Object.fromEntries(state.sessions),
    ownSenderKeys: Object.fromEntries(state.ownSenderKeys),
    senderKeys: Object.fromEntries(state.senderKeys),
  }
}

const savePair = ({ pubKey, privKey }: KeyPair) => ({ public: pubKey.toString('base64'), private: privKey.toString('base64') })

const savePairs = (pairs: Map<number, KeyPair>) => Object.fromEntries([...pairs].map(([id, pair]) => [id, savePair(pair)]))

const loadPairs = (saved: Record<string, v.InferOutput<typeof SavedKeyPair>>) =>
  new Map(Object.entries(saved).map(([id, pair]) => [Number(id), loadPair(pair)]))

function loadPair(pair: v.InferOutput<typeof SavedKeyPair>): KeyPair {
  return { pubKey: Buffer.from(pair.public, 'base64'), privKey: Buffer.from(pair.private, 'base64') }
}
