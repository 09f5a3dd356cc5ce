/**
 * A chain of commits: while one is written, entries are collected for the next. If an entry could not be written, all
 * later ones fail too, because they may depend on it.
 */
import { StorageFailure } from '../domain/storage-failure.ts'
import type { Op, StateStore } from './contract.ts'

/**
 * Number of entries in the next commit from which on `room` waits. The store reserves disk space for the largest
 * commit, so a higher limit would make the file longer.
 */
const MAX_ENTRIES = 32
const MAX_BYTES = 1_024 * 1_024

export interface CommitChain {
  /** Resolves when these operations and all earlier entries are on disk. Always rejects after the first failure. */
  add(ops: readonly Op[]): Promise<void>
  /** Resolves when everything added so far is on disk. */
  settled(): Promise<void>
  /** Resolves when more entries may be added. */
  room(): Promise<void>
  /** Refuses further entries from now on. Entries that were added before are still written. */
  close(): void
}

/** A store with a chain of commits. `get` already returns values that are not on disk yet; `range` does not. */
export interface ChainedStore extends StateStore {
  chain(): CommitChain
}

/** Values that are not on disk yet; `null` for a removed key. */
export type Ahead = Map<string, { value: Uint8Array | null; of: object }>

interface Entry {
  ops: readonly Op[]
  resolve(): void
  reject(error: unknown): void
}

interface Link {
  entries: Entry[]
  bytes: number
  written: Promise<void>
}

const merged = (ops: readonly Op[]) => [...new Map(ops.map((op) => [op[0], op])).values()]

export function createCommitChain(store: Pick<StateStore, 'commit'>, ahead: Ahead = new Map()): CommitChain {
  let failure: { error: unknown } | undefined
  let isClosed = false
  let current: Link | undefined
  let next: Link | undefined

  const isFull = ({ entries, bytes }: Link) => entries.length >= MAX_ENTRIES || bytes >= MAX_BYTES

  function forget(entry: Entry) {
    for (const [key] of entry.ops) if (ahead.get(key)?.of === entry) ahead.delete(key)
  }

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
      // A nearly full disk may have space for one message but not for thirty, so the entries are then written one at a
      // time.
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
    // The entries are written in a later microtask, so that entries that are added together are in one commit.
    const before = current?.written ?? Promise.resolve()
    link.written = before.then(
      () => write(link),
      () => write(link),
    )
    // The promises of the entries already report this failure.
    link.written.catch(() => {})
    return link
  }

  return {
    add(ops) {
      if (failure) return Promise.reject(failure.error)
      if (isClosed) return Promise.reject(new Error('The store is closed and accepts no further commit.'))
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
