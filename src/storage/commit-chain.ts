/**
 * Commits that share the disk's time: while one is being written, what is added goes together into the one behind it. What follows in memory
 * may build on what is not on disk yet, so the order is kept, and a failure is everybody's who comes after it: nothing is written on top of
 * something that is not there.
 */
import { StorageFailure } from '../domain/storage-failure.ts'
import type { Op, StateStore } from './contract.ts'

/**
 * What may be added and not written, in entries and in bytes of their values. The store keeps room on the disk for the most that a commit can
 * need (`drivers/lmdb-room.ts`), which is a quarter of a megabyte for a message: more would make its file longer for nothing.
 */
const MAX_ENTRIES = 32
const MAX_BYTES = 1_024 * 1_024

export interface CommitChain {
  /** Resolves when it is on disk, with everything that was added before. Rejects for good after a failure. */
  add(ops: readonly Op[]): Promise<void>
  /** Everything that was added up to now is on disk. */
  settled(): Promise<void>
  /** Resolves when more may be added. */
  room(): Promise<void>
  /** Nothing more can be added; what was is written. */
  close(): void
}

/** A store with chains of commits. What is added to one is returned by `get` at once, and by `range` when it is on disk. */
export interface ChainedStore extends StateStore {
  chain(): CommitChain
}

/** Values that are added and not on disk yet, `null` for a removed key. */
export type Ahead = Map<string, { value: Uint8Array | null; of: object }>

interface Entry {
  ops: readonly Op[]
  resolve(): void
  reject(error: unknown): void
}

interface Link {
  entries: Entry[]
  bytes: number
  /** All of it. */
  written: Promise<void>
}

/** The last value of a key is the one that counts. */
const merged = (ops: readonly Op[]) => [...new Map(ops.map((op) => [op[0], op])).values()]

export function createCommitChain(store: Pick<StateStore, 'commit'>, ahead: Ahead = new Map()): CommitChain {
  let failure: { error: unknown } | undefined
  let isClosed = false
  /** Being written, and behind it. */
  let current: Link | undefined
  let next: Link | undefined

  const isFull = ({ entries, bytes }: Link) => entries.length >= MAX_ENTRIES || bytes >= MAX_BYTES

  function forget(entry: Entry) {
    for (const [key] of entry.ops) if (ahead.get(key)?.of === entry) ahead.delete(key)
  }

  /** Entries that are one commit. Throws when none of them is on disk. */
  async function commit(entries: readonly Entry[]): Promise<void> {
    await store.commit({ ops: merged(entries.flatMap(({ ops }) => ops)) })
    for (const entry of entries) {
      forget(entry)
      entry.resolve()
    }
  }

  async function commitAll(entries: readonly Entry[]): Promise<void> {
    try {
      await commit(entries)
    } catch (error) {
      // The last of a disk has room for a message where it has none for thirty.
      if (entries.length === 1 || !(error instanceof StorageFailure && error.isFull)) throw error
      for (const entry of entries) await commit([entry])
    }
  }

  async function write(link: Link): Promise<void> {
    current = link
    if (next === link) next = undefined
    try {
      if (failure) throw failure.error
      await commitAll(link.entries)
    } catch (error) {
      failure ??= { error }
      // Those that are on disk were resolved and forgotten before.
      for (const entry of link.entries) {
        forget(entry)
        entry.reject(error)
      }
      throw error
    } finally {
      if (current === link) current = undefined
    }
  }

  function begin(): Link {
    const link: Link = { entries: [], bytes: 0, written: Promise.resolve() }
    next = link
    // The first one is written at the end of this turn of the queue of promises: what is decided together goes together.
    const before = current?.written ?? Promise.resolve()
    link.written = before.then(
      () => write(link),
      () => write(link),
    )
    // It is its adders' failure.
    link.written.catch(() => {})
    return link
  }

  return {
    add(ops) {
      if (failure) return Promise.reject(failure.error)
      if (isClosed) return Promise.reject(new Error('the chain of commits is closed'))
      const link = next ?? begin()
      return new Promise((resolve, reject) => {
        const entry = { ops, resolve, reject }
        link.entries.push(entry)
        for (const [key, value] of ops) {
          link.bytes += value?.byteLength ?? 0
          ahead.set(key, { value, of: entry })
        }
      })
    },
    settled: () => (failure ? Promise.reject(failure.error) : ((next ?? current)?.written ?? Promise.resolve())),
    async room() {
      while (next && isFull(next)) await (current ?? next).written
    },
    close() {
      isClosed = true
    },
  }
}
