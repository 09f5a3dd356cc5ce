import type {
  AuthenticationCreds,
  AuthenticationState,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
} from '@whiskeysockets/baileys'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys as records } from '../../../src/storage/record-keys.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import type { KeyChange, KeyStore, KeyType } from './key-store.ts'
import { newCredentials } from './new-credentials.ts'
import type { AddressLocks } from './signal/address/address-locks.ts'
import { credsBytes, credsFrom, keyBytes, keyFrom } from './signal/codec.ts'

export interface Alongside {
  keys: readonly KeyChange[]
  ops(): readonly Op[]
  /** Must be called after the commit with these changes. */
  applied(): void
}

export interface AuthState {
  /** Returns the stored credentials. Waits until earlier saves are on disk, so that the result contains them. */
  loadCreds(): Promise<AuthenticationCreds | undefined>
  /**
   * Writes the credentials as they are at the time of the call; they are durable when this resolves. Nothing is written
   * if the credentials were erased or replaced after the call, or if `alongside` rejects.
   */
  saveCreds(creds: AuthenticationCreds, alongside?: () => Promise<Alongside>): Promise<void>
  /**
   * Returns the stored credentials of a linked device, or new ones if there are none. Stored credentials without
   * `account` are removed: with them, a socket would log in and not register.
   */
  discardHalfPaired(): Promise<AuthenticationCreds>
  /**
   * Returns the state that one socket uses. When these credentials are erased or replaced, the socket can no longer
   * write keys.
   */
  forSocket(creds: AuthenticationCreds): AuthenticationState
  /** Removes the credentials first, then the keys. Begins after all pending saves have finished. */
  erase(): Promise<void>
}

export interface AuthStateDeps {
  keys: KeyStore
  store: StateStore
  sealer: Sealer
  /** Locks of the addresses. An erasure first waits for the locks that are held when it begins. */
  locks: Pick<AddressLocks, 'idle'>
}

export function createAuthState({ keys, store, sealer, locks }: AuthStateDeps): AuthState {
  const recordKey = records.creds(keys.instanceId)
  /** Credentials are compared by identity, because the socket changes the same object. */
  let current: AuthenticationCreds | undefined
  let lastWrite: Promise<unknown> = Promise.resolve()

  function inOrder<T>(write: () => Promise<T>): Promise<T> {
    const written = lastWrite.then(write)
    // The caller handles a failure of `written`; this promise only keeps the order of the writes.
    lastWrite = written.catch(() => {})
    return written
  }

  async function removeAll(): Promise<void> {
    current = undefined
    await locks.idle()
    await inOrder(() => keys.erase([[recordKey, null]]))
  }

  const authState: AuthState = {
    loadCreds: () =>
      inOrder(async () => {
        const sealed = await store.get(recordKey)
        current = sealed && credsFrom(sealer.open(recordKey, sealed))
        return current
      }),

    async saveCreds(creds, alongside) {
      if (creds !== current) return
      const bytes = credsBytes(creds)
      await inOrder(async () => {
        // The device was unlinked, and the data of its people was removed. Nothing about them may be written from now
        // on.
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
      current = newCredentials()
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
      async function find(id: string) {
        const stored = await keys.get(type, id)
        if (stored) found[id] = keyFrom(type, stored)
      }
      const [only] = ids
      if (ids.length === 1 && only !== undefined) await find(only)
      else await Promise.all(ids.map(find))
      return found
    },
    async set(data) {
      if (!isCurrent()) throw new Error('the keys belong to a pairing that has ended, so they are not stored')
      return keys.commit(changesOf(data))
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
