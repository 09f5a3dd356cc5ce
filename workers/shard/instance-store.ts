/**
 * The store as one instance sees it: the only way to its records. Whatever of an instance is still running when it stops (an upload, a
 * send, a request that was being queued) may want to write afterwards; a record written then would survive the erasure of the instance, or
 * meet its next start.
 */
import { Failure } from '../../src/domain/failures.ts'
import type { StateStore } from '../../src/storage/contract.ts'

/**
 * `commit` never resolves with false: a guard that refuses means that somebody else writes the records of this instance, so it rejects with
 * `engine_unavailable`, and nobody can forget to look. `close` ends only this view: it waits for the commits under way, and later ones are
 * refused in the same way. Reading goes on.
 */
export function createInstanceStore(store: StateStore): StateStore {
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false

  return {
    get: (key) => store.get(key),
    range: (prefix, options) => store.range(prefix, options),
    async commit(batch) {
      if (isClosed) throw new Failure('engine_unavailable')
      const written = store.commit(batch)
      underWay.add(written)
      try {
        if (await written) return true
      } finally {
        underWay.delete(written)
      }
      throw new Failure('engine_unavailable', { cause: new Error(`the guard ${batch.guard?.key} refused a commit`) })
    },
    async close() {
      isClosed = true
      await Promise.allSettled([...underWay])
    },
  }
}
