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
import { keys as records } from '../../../src/storage/record-keys.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { KeyChange, KeyStore, KeyType } from './key-store.ts'
import { credsBytes, credsFrom, keyBytes, keyFrom } from './signal/codec.ts'
import type { AddressLocks } from './signal/locks.ts'

/** Changes to commit together with the credentials. */
export interface Alongside {
  keys: readonly KeyChange[]
  /** Called right before the commit. */
  ops(): readonly Op[]
  /** After it. */
  applied(): void
}

export interface AuthState {
  /** The stored credentials, or undefined for an instance that was never linked. */
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
  /** State for the socket. Its keys become read-only once these credentials have been erased or replaced. */
  forSocket(creds: AuthenticationCreds): AuthenticationState
  /** Removes credentials and keys. Credentials go first, after all pending saves have finished. */
  erase(): Promise<void>
}

export interface AuthStateDeps {
  keys: KeyStore
  store: StateStore
  sealer: Sealer
  /** An erasure waits until no session is in use. */
  locks: Pick<AddressLocks, 'idle'>
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
        // An unlinked account's people are removed behind it: nothing of them is written any more.
        if (creds !== current) return
        const more = await alongside?.()
        if (creds !== current) return
        const ops = more?.ops() ?? []
        await keys.commit(more?.keys ?? [], [[recordKey, sealer.seal(recordKey, bytes)], ...ops])
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

    forSocket: (creds) => ({ creds, keys: socketKeys(keys, () => creds === current) }),
    erase: removeAll,
  }
  return authState
}

function socketKeys(keys: KeyStore, isCurrent: () => boolean): SignalKeyStore {
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
      const changes = await withoutRepeats(keys, changesOf(data))
      if (!isCurrent()) throw new Error('these credentials are no longer in use')
      return keys.commit(changes)
    },
  }
}

/**
 * With every text to a group the library writes which devices have the account's key, for each device of each member; the value is mostly unchanged.
 */
async function withoutRepeats(keys: KeyStore, changes: readonly KeyChange[]): Promise<readonly KeyChange[]> {
  const kept: KeyChange[] = []
  for (const change of changes) {
    const [type, id, value] = change
    const before = type === 'sender-key-memory' && value !== null ? await keys.get(type, id) : undefined
    if (before === undefined || value === null || !isSame(before, value)) kept.push(change)
  }
  return kept
}

/** What nobody has looked into is the record itself. */
const isSame = (one: Uint8Array, other: Uint8Array) => one === other || Buffer.compare(one, other) === 0

function changesOf(data: SignalDataSet): KeyChange[] {
  return Object.entries(data).flatMap(([type, values]) =>
    Object.entries(values ?? {}).map(
      ([id, value]): KeyChange => [type as KeyType, id, value == null ? null : keyBytes(type as KeyType, value)],
    ),
  )
}
