/**
 * View of the store for one instance. Work that is still running when the instance stops must not write: its record
 * would survive the erasure of the instance, or be read by the next start.
 */
import { Failure } from '../../../src/domain/failures.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { createUnderWay } from '../../../src/lib/under-way.ts'
import { type Ahead, type ChainedStore, createCommitChain } from '../../../src/storage/commit-chain.ts'
import type { Batch, Op, Rider, StateStore } from '../../../src/storage/contract.ts'

export interface InstanceStore extends ChainedStore {
  carries(rider: Rider): void
}

/**
 * A commit rejects with `engine_unavailable` after `close`, or if another process now writes these records. `close`
 * waits for running commits; reading works after it. `onWritten` is called before a caller of `commit` continues.
 */
export function createInstanceStore(store: StateStore, onWritten: () => void): InstanceStore {
  const underWay = createUnderWay()
  const ahead: Ahead = new Map()
  let isClosed = false
  let rider: Rider = { take: () => [], settled() {} }

  async function write(batch: Batch, more: readonly Op[]): Promise<boolean> {
    if (more.length === 0) return store.commit(batch)
    let isWritten = false
    try {
      isWritten = await store.commit({ ...batch, ops: [...batch.ops, ...more] })
      return isWritten
    } catch (error) {
      // A full store refuses a commit immediately, so no newer commit can have been written before this retry.
      if (!(error instanceof StorageFailure && error.isFull)) throw error
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
      try {
        if (await underWay.add(write(batch, rider.take()))) return true
      } finally {
        onWritten()
      }
      throw new Failure('engine_unavailable', { cause: new Error(`the guard ${batch.guard?.key} refused a commit`) })
    },
    ...(store.confirm && { confirm: store.confirm }),
    carries(its) {
      rider = its
    },
    chain: () => createCommitChain(view, ahead),
    async close() {
      isClosed = true
      await underWay.ended()
    },
  }
  return view
}
