/**
 * Baileys' authentication state over the key store: credentials in one sealed record, keys one record each. `set` is one commit,
 * whatever it holds.
 */
import {
  type AuthenticationCreds,
  type AuthenticationState,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys as records } from '../../../src/storage/keys.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { KeyChange, KeyStore, KeyType } from './key-store.ts'
import { credsBytes, credsFrom, keyBytes, keyFrom } from './signal/codec.ts'
import type { AddressLocks } from './signal/locks.ts'

/** What goes into the commit of a save of the credentials. */
export interface Alongside {
  keys: SignalDataSet
  /** Asked for right before the commit. */
  ops(): readonly Op[]
  /** After it. */
  applied(): void
}

export interface AuthState {
  /** What is stored, or undefined for an instance that was never linked. */
  loadCreds(): Promise<AuthenticationCreds | undefined>
  /**
   * Durable when it resolves; saves of one instance land in the order they were called. Nothing is written for credentials that were
   * erased or replaced since: a late `creds.update` of an old socket must not bring a removed device back. The credentials are those of
   * the call, also where what goes with them takes time to make; when it rejects nothing is written.
   */
  saveCreds(creds: AuthenticationCreds, alongside?: () => Promise<Alongside>): Promise<void>
  /**
   * The credentials for the next socket: the stored ones when the device is linked, fresh ones otherwise. `requestPairingCode` writes
   * `me` before anybody has agreed, and a socket with `me` logs in where it should register: so everything without `account` goes,
   * with its keys.
   */
  discardHalfPaired(): Promise<AuthenticationCreds>
  /** What the socket gets. Its keys are read-only once these credentials have been erased or replaced. */
  forSocket(creds: AuthenticationCreds): AuthenticationState
  /** Removes credentials and keys. Credentials go first, and everything in line has finished before. */
  erase(): Promise<void>
}

export interface AuthStateDeps {
  keys: KeyStore
  store: StateStore
  sealer: Sealer
  locks: AddressLocks
}

export function createAuthState({ keys, store, sealer, locks }: AuthStateDeps): AuthState {
  const recordKey = records.creds(keys.instanceId)
  /** The credentials in use, by identity: the library changes them in place. */
  let current: AuthenticationCreds | undefined
  let lastWrite: Promise<unknown> = Promise.resolve()

  function inOrder<T>(write: () => Promise<T>): Promise<T> {
    const written = lastWrite.then(write)
    // Only the order is taken from it: the failure is the caller's, who holds `written`.
    lastWrite = written.catch(() => {})
    return written
  }

  async function removeAll(): Promise<void> {
    current = undefined
    await locks.idle()
    await inOrder(() => keys.erase([[recordKey, null]]))
  }

  const authState: AuthState = {
    async loadCreds() {
      const sealed = await store.get(recordKey)
      current = sealed && credsFrom(sealer.open(recordKey, sealed))
      return current
    },

    async saveCreds(creds, alongside) {
      if (creds !== current) return
      const bytes = credsBytes(creds)
      await inOrder(async () => {
        const more = await alongside?.()
        if (creds !== current) return
        const ops = more?.ops() ?? []
        await keys.commit(changesOf(more?.keys ?? {}), [[recordKey, sealer.seal(recordKey, bytes)], ...ops])
        more?.applied()
      })
    },

    async discardHalfPaired() {
      const stored = await authState.loadCreds()
      if (stored?.account) return stored
      if (stored || !(await keys.isEmpty())) await removeAll()
      current = initAuthCreds()
      return current
    },

    forSocket: (creds) => ({ creds, keys: socketKeys(keys, locks, () => creds === current) }),
    erase: removeAll,
  }
  return authState
}

function socketKeys(keys: KeyStore, locks: AddressLocks, isCurrent: () => boolean): SignalKeyStore {
  return {
    async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: { [id: string]: SignalDataTypeMap[T] } = {}
      await Promise.all(
        ids.map(async (id) => {
          const stored = await keys.get(type, id)
          if (stored) found[id] = keyFrom(type, stored)
        }),
      )
      return found
    },
    async set(data) {
      if (!isCurrent()) throw new Error('these credentials are no longer in use')
      const changes = changesOf(data)
      // The library removes sessions behind the repository's back (before a retry): in line with whoever is using them.
      const sessions = Object.keys(data.session ?? {})
      if (sessions.length === 0) return keys.commit(changes)
      return locks.run(sessions, () => keys.commit(changes))
    },
  }
}

function changesOf(data: SignalDataSet): KeyChange[] {
  return Object.entries(data).flatMap(([type, values]) =>
    Object.entries(values ?? {}).map(
      ([id, value]): KeyChange => [type as KeyType, id, value == null ? null : keyBytes(type as KeyType, value)],
    ),
  )
}
