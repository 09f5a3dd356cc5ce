/**
 * The store as one instance sees it: the only way to its records. Work that is still running when the instance stops (an upload, a send, a
 * request being queued) may try to write afterwards; a record written then would survive the erasure of the instance, or be read by its
 * next start.
 */
import { Failure } from '../../src/domain/failures.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { type Ahead, type ChainedStore, createCommitChain } from '../../src/storage/commit-chain.ts'
import type { Batch, Op, Rider, StateStore } from '../../src/storage/contract.ts'

export interface InstanceStore extends ChainedStore {
  /** Only one. */
  carries(rider: Rider): void
}

/**
 * `commit` never resolves with false: a guard that refuses means that somebody else writes the records of this instance, so it rejects with
 * `engine_unavailable`, and no caller has to check. `close` ends only this view: it waits for the commits under way, and later ones are
 * refused in the same way. Reading goes on.
 */
export function createInstanceStore(store: StateStore): InstanceStore {
  const underWay = new Set<Promise<unknown>>()
  const ahead: Ahead = new Map()
  let isClosed = false
  let rider: Rider = { take: () => [], settled() {} }

  /** `more`: of the rider. */
  async function write(batch: Batch, more: readonly Op[]): Promise<boolean> {
    if (more.length === 0) return store.commit(batch)
    let isWritten = false
    try {
      isWritten = await store.commit({ ...batch, ops: [...batch.ops, ...more] })
      return isWritten
    } catch (error) {
      // By the store itself, before anything was given to the disk and in this turn: nothing newer has come between.
      if (!(error instanceof StorageFailure && error.isFull)) throw error
      // What rides may need more room than what it rides with: a message is to be taken into the last of the disk.
      return await store.commit(batch)
    } finally {
      rider.settled(more, isWritten)
    }
  }

  const view: InstanceStore = {
    get(key) {
      const early = ahead.get(key)
      return early === undefined ? store.get(key) : Promise.resolve(early.value ?? undefined)
    },
    range: (prefix, options) => store.range(prefix, options),
    count: (prefix, options) => store.count(prefix, options),
    async commit(batch) {
      if (isClosed) throw new Failure('engine_unavailable')
      const written = write(batch, rider.take())
      underWay.add(written)
      try {
        if (await written) return true
      } finally {
        underWay.delete(written)
      }
      throw new Failure('engine_unavailable', { cause: new Error(`the guard ${batch.guard?.key} refused a commit`) })
    },
    carries(its) {
      rider = its
    },
    chain: () => createCommitChain(view, ahead),
    async close() {
      isClosed = true
      await Promise.allSettled([...underWay])
    },
  }
  return view
}
