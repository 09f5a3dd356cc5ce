/**
 * Stores the encrypted Signal keys of one instance. The cache contains only values that are on disk. Returned values
 * are shared and must not be modified.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SignalDataTypeMap } from '@whiskeysockets/baileys'
import { LRUCache } from 'lru-cache'
import { ownedBytes } from '../../../src/lib/owned-bytes.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys as records } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import { ONE_TIME_KEYS, signalKey } from '../../../src/storage/signal-key.ts'

export type KeyType = keyof SignalDataTypeMap

/** A key and its new value. The value null removes the key. */
export type KeyChange = readonly [type: KeyType, id: string, value: Uint8Array | null]

export interface KeyReader {
  get(type: KeyType, id: string): Promise<Uint8Array | undefined>
}

export interface KeyStore extends KeyReader {
  readonly instanceId: string
  ops(changes: readonly KeyChange[]): Op[]
  /** Updates the cache. Must be called after the commit with the operations of `ops`. */
  applied(changes: readonly KeyChange[]): void
  /**
   * Registers changes that another commit is writing. Until `written` resolves (the commit has succeeded), only readers
   * through `ahead` see the changes.
   */
  follow(changes: readonly KeyChange[], written: Promise<void>): void
  /**
   * A reader that also sees changes that are not on disk yet. Use it only to compute changes that are written after
   * them.
   */
  readonly ahead: KeyReader
  /** Writes these changes and `extra` in one atomic, durable step. */
  commit(changes: readonly KeyChange[], extra?: readonly Op[]): Promise<void>
  /**
   * Writes these changes together with all others of this turn of the event loop, such as the sessions with several
   * devices.
   */
  commitTogether(changes: readonly KeyChange[]): Promise<void>
  /**
   * Adds operations to the next commit of keys that succeeds. The returned function resolves when the operations are on
   * disk; if no commit has included them, it makes one.
   */
  alongside(ops: readonly Op[]): () => Promise<void>
  erase(extra?: readonly Op[]): Promise<void>
  isEmpty(): Promise<boolean>
}

export interface KeyCache {
  read(recordKey: string, load: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined>
  publish(recordKey: string, value: Uint8Array | null): void
  forget(prefix: string): void
  readonly entries: number
  readonly bytes: number
}

/** Estimated size of a cache entry in bytes, without its value. The real size is usually smaller. */
const ENTRY_OVERHEAD = 200
/** Type of the keys that are not cached, because each is seldom read more than once. */
const ONE_TIME: KeyType = ONE_TIME_KEYS
const ABSENT = new Uint8Array()

/**
 * Creates the cache that all instances of a thread share. Absence is cached too, because most reads of a quiet chat are
 * for records that do not exist.
 */
export function createKeyCache({
  maxEntries,
  maxBytes = maxEntries * 1_024,
}: {
  maxEntries: number
  maxBytes?: number
}): KeyCache {
  const known = new LRUCache<string, Uint8Array | typeof ABSENT>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: (value, key) => ENTRY_OVERHEAD + key.length + (value === ABSENT ? 0 : value.byteLength),
  })
  /**
   * Running reads. A write of the record supersedes its read: the value that is read may be old and must not be cached.
   */
  const loads = new Map<string, { superseded: boolean; value: Promise<Uint8Array | undefined> }>()

  const keep = (key: string, value: Uint8Array | null) => void known.set(key, value === null ? ABSENT : ownedBytes(value))

  function supersede(key: string): void {
    const load = loads.get(key)
    if (!load) return
    load.superseded = true
    loads.delete(key)
  }

  function startLoad(key: string, load: () => Promise<Uint8Array | undefined>) {
    const started = { superseded: false, value: Promise.resolve<Uint8Array | undefined>(undefined) }
    started.value = load().then(
      (value) => {
        if (!started.superseded) {
          loads.delete(key)
          keep(key, value ?? null)
        }
        return value
      },
      (error) => {
        if (!started.superseded) loads.delete(key)
        throw error
      },
    )
    loads.set(key, started)
    return started
  }

  return {
    async read(key, load) {
      for (;;) {
        const value = known.get(key)
        if (value !== undefined) return value === ABSENT ? undefined : value
        const running = loads.get(key) ?? startLoad(key, load)
        const loaded = await running.value
        if (!running.superseded) return loaded
      }
    },
    publish(key, value) {
      supersede(key)
      keep(key, value)
    },
    forget(prefix) {
      for (const key of [...loads.keys()]) if (key.startsWith(prefix)) supersede(key)
      for (const key of [...known.keys()]) if (key.startsWith(prefix)) known.delete(key)
    },
    get entries() {
      return known.size
    },
    get bytes() {
      return known.calculatedSize
    },
  }
}

export function createKeyStore(instanceId: string, store: StateStore, sealer: Sealer, cache: KeyCache): KeyStore {
  const prefix = records.signals(instanceId)
  const recordKey = (type: KeyType, id: string) => signalKey(instanceId, type, id, sealer)

  async function load(key: string): Promise<Uint8Array | undefined> {
    const sealed = await store.get(key)
    return sealed && sealer.open(key, sealed)
  }

  const along = new Set<readonly Op[]>()
  let together: { changes: KeyChange[]; written: Promise<void> } | undefined

  /**
   * Changes that are being written: the newest value, and a promise that resolves when all changes of the record are on
   * disk.
   */
  const followed = new Map<string, { value: Uint8Array | null; written: Promise<void> }>()
  const read = (type: KeyType, key: string) => (type === ONE_TIME ? load(key) : cache.read(key, () => load(key)))

  async function unfollowed(recordKeys: Iterable<string>): Promise<void> {
    for (const key of recordKeys)
      for (let each = followed.get(key); each; each = followed.get(key)) await each.written.catch(() => {})
  }

  const keyStore: KeyStore = {
    instanceId,
    get(type, id) {
      const key = recordKey(type, id)
      return followed.has(key) ? unfollowed([key]).then(() => read(type, key)) : read(type, key)
    },
    ahead: {
      async get(type, id) {
        const key = recordKey(type, id)
        const early = followed.get(key)
        return early ? (early.value ?? undefined) : read(type, key)
      },
    },
    follow(changes, written) {
      const mine = changes.map(([type, id, value]) => [recordKey(type, id), { value, written }] as const)
      for (const [key, each] of mine) followed.set(key, each)
      const end = () => {
        for (const [key, each] of mine) if (followed.get(key) === each) followed.delete(key)
      }
      written.then(() => {
        keyStore.applied(changes)
        end()
      }, end)
    },
    ops: (changes) =>
      changes.map(([type, id, value]): Op => {
        const key = recordKey(type, id)
        return [key, value && sealer.seal(key, value)]
      }),
    applied(changes) {
      for (const [type, id, value] of changes) if (type !== ONE_TIME) cache.publish(recordKey(type, id), value)
    },
    async commit(changes, extra = []) {
      if (followed.size > 0) await unfollowed(changes.map(([type, id]) => recordKey(type, id)))
      const taken = [...along]
      const ops = [...keyStore.ops(changes), ...extra, ...taken.flat()]
      if (ops.length === 0) return
      await store.commit({ ops })
      for (const each of taken) along.delete(each)
      keyStore.applied(changes)
    },
    commitTogether(changes) {
      if (together === undefined) {
        const all: KeyChange[] = []
        const written = nextTurn().then(() => {
          together = undefined
          return keyStore.commit(all)
        })
        together = { changes: all, written }
      }
      together.changes.push(...changes)
      return together.written
    },
    alongside(ops) {
      along.add(ops)
      return async () => {
        if (!along.has(ops)) return
        await store.commit({ ops })
        along.delete(ops)
      }
    },
    async erase(extra = []) {
      await unfollowed(followed.keys())
      if (extra.length > 0) await store.commit({ ops: extra })
      await removeAll(store, prefix)
      cache.forget(prefix)
    },
    async isEmpty() {
      for await (const _ of store.range(prefix, { limit: 1 })) return false
      return true
    },
  }
  return keyStore
}
