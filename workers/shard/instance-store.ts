/**
 * The store as one instance sees it. Whatever of an instance is still running when it stops (an upload, a send, a request that was being
 * queued) may want to write afterwards; a record written then would survive the erasure of the instance, or meet its next life.
 */
import { Failure } from '../../src/domain/failures.ts'
import type { StateStore } from '../../src/storage/contract.ts'

/** `close` ends only this view: it waits for the commits under way, and later ones are refused. Reading goes on. */
export function createOwnStore(store: StateStore): StateStore {
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
        return await written
      } finally {
        underWay.delete(written)
      }
    },
    async close() {
      isClosed = true
      await Promise.allSettled([...underWay])
    },
  }
}
