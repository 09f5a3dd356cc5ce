/**
 * Simulates an instance with the real store and Signal repository. It has key bundles like those that the network gives
 * to contacts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AuthenticationCreds,
  addTransactionCapability,
  Curve,
  generateSignalPubKey,
  type LIDMapping,
} from '@whiskeysockets/baileys'
import pino from 'pino'
import type { SignalBundle, SignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import type { StateStore } from '../../../../src/storage/contract.ts'
import { openStore } from '../../../../src/storage/open-store.ts'
import { createSealer } from '../../../../src/storage/sealer.ts'
import { type AuthState, createAuthState } from '../../../../workers/shard/keys/auth-state.ts'
import { createKeyCache, createKeyStore, type KeyChange, type KeyStore } from '../../../../workers/shard/keys/key-store.ts'
import { type AddressLocks, createAddressLocks } from '../../../../workers/shard/keys/signal/address/address-locks.ts'
import type { SealedPart } from '../../../../workers/shard/keys/signal/part-turns.ts'
import { createSignalRepository, type SignalRepository } from '../../../../workers/shard/keys/signal/signal-repository.ts'

export const said = (words: string) => Buffer.from(words)
export const log = pino({ level: 'silent' })

export interface Disk {
  store: StateStore
  close(): Promise<void>
}

export async function openDisk(): Promise<Disk> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-signal-'))
  const store = await openStore(`lmdb:${dir}`)
  return {
    store,
    async close() {
      await store.close()
      await rm(dir, { recursive: true })
    },
  }
}

export const sealer = createSealer(Buffer.alloc(32, 7))

export interface Gateway {
  store: StateStore
  keys: KeyStore
  locks: AddressLocks
  creds: AuthenticationCreds
  auth: AuthState
  repository: SignalRepository
  openRepository(): SignalRepository
  /** Returns the key bundle that contains the one-time key with this number. */
  bundle(preKeyId: number): SignalBundle
}

export interface GatewayOptions {
  store: StateStore
  instanceId?: string
  /**
   * Gets the key changes of a decrypted part, in the same turn of the event loop as the decryption. By default they are
   * committed.
   */
  keep?: (changes: readonly KeyChange[], keys: KeyStore) => Promise<void>
  maxEntries?: number
  pnToLid?: (jids: string[]) => Promise<LIDMapping[] | undefined>
  preKeys?: number
}

export async function openGateway({
  store,
  instanceId = 'instance',
  keep = (changes, keys) => keys.commit(changes),
  maxEntries = 1_000,
  pnToLid,
  preKeys = 50,
}: GatewayOptions): Promise<Gateway> {
  const keys = createKeyStore(instanceId, store, sealer, createKeyCache({ maxEntries }))
  const locks = createAddressLocks()
  const auth = createAuthState({ keys, store, sealer, locks })
  const creds = await auth.discardHalfPaired()
  const fresh = Array.from({ length: preKeys }, (_, at) => ({ id: at + 1, pair: Curve.generateKeyPair() }))
  await keys.commit(fresh.map(({ id, pair }) => ['pre-key', String(id), Buffer.concat([pair.public, pair.private])] as const))

  /**
   * Opens the repository with the methods by which the library decrypts messages. They lock and commit as the inbox
   * does, so that a test can use this repository and that of the library in the same way.
   */
  function openRepository(): SignalRepository {
    const view = addTransactionCapability(auth.forSocket(creds).keys, log, { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
    const repository = createSignalRepository({ keys, creds: () => creds, locks })({ creds, keys: view }, log, pnToLid)
    const { turnOf } = repository as SignalRepository
    async function decrypt(part: SealedPart): Promise<Uint8Array> {
      const turn = await turnOf(part)
      try {
        const { plaintext, changes } = await turn.decrypt()
        await keep(changes, keys)
        return plaintext
      } finally {
        turn.end()
      }
    }
    return {
      ...(repository as SignalRepository),
      decryptMessage: ({ jid, type, ciphertext }) => decrypt({ type, chat: jid, author: jid, ciphertext }),
      decryptGroupMessage: ({ group, authorJid, msg }) =>
        decrypt({ type: 'skmsg', chat: group, author: authorJid, ciphertext: msg }),
    }
  }

  return {
    store,
    keys,
    locks,
    creds,
    auth,
    repository: openRepository(),
    openRepository,
    bundle(preKeyId) {
      const { pair } = fresh.find(({ id }) => id === preKeyId)!
      const { signedPreKey } = creds
      return {
        registrationId: creds.registrationId,
        identity: creds.signedIdentityKey.public,
        signedPreKey: { id: signedPreKey.keyId, publicKey: signedPreKey.keyPair.public, signature: signedPreKey.signature },
        preKey: { id: preKeyId, publicKey: pair.public },
      }
    },
  }
}

/**
 * Returns a session in the form in which the library passes it to `injectE2ESession`: each public key has a type byte
 * before it.
 */
export function session(device: SignalDevice, take = true) {
  const { registrationId, identity, signedPreKey, preKey } = device.bundle(take)
  const typed = (publicKey: Uint8Array) => generateSignalPubKey(publicKey)
  return {
    registrationId,
    identityKey: typed(identity),
    signedPreKey: { keyId: signedPreKey.id, publicKey: typed(signedPreKey.publicKey), signature: signedPreKey.signature },
    ...(preKey ? { preKey: { keyId: preKey.id, publicKey: typed(preKey.publicKey) } } : {}),
  }
}

/** Address under which contacts store their session with the gateway. */
export const GATEWAY = 'gateway.1'

/** Wraps a store so that each answer is late by 0 to 6 ms, at random. A busy or remote disk answers like this. */
export function slowly(store: StateStore): StateStore {
  const wait = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 6))
  return {
    get: (key) => wait().then(() => store.get(key)),
    commit: (batch) => wait().then(() => store.commit(batch)),
    range: (prefix, options) => store.range(prefix, options),
    count: (prefix, options) => store.count(prefix, options),
    close: () => store.close(),
  }
}

/** Adds padding as the library does: the last byte contains the number of added bytes. */
export const padded = (message: Uint8Array) => Buffer.concat([message, Buffer.alloc(3, 3)])

export const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
