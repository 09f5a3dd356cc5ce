import type { Logger } from 'pino'
import type { Through } from '../../../src/domain/bytes.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import { BoundedCache } from '../../../src/lib/bounded-cache.ts'
import type { BlobPart, Blobs } from '../../../src/storage/blobs.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import { type QueueItem, queueItems, type Waiting, waitingOf } from './item.ts'

export interface ItemStoreOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  blobs?: Blobs | undefined
  log: Pick<Logger, 'warn' | 'error'>
}

const FRESH_ITEMS = 64
const FRESH_BYTES = 4_096

export type StoredItem = QueueItem & {
  copyMedia?: ((path: string, part: BlobPart, through?: Through) => Promise<void>) | undefined
}

export type ItemStore = ReturnType<typeof createItemStore>

export function createItemStore({ instanceId, store, sealer, blobs, log }: ItemStoreOptions) {
  const items = queueItems(sealer)
  /** Encoded records of small items that were queued in this run, so that they can be sent without a read from disk. */
  const fresh = new BoundedCache<string, Uint8Array>(FRESH_ITEMS)
  const itemKey = (svcId: string) => keys.queueItem(instanceId, svcId)
  const blobKey = (svcId: string) => keys.blob(instanceId, svcId)

  return {
    itemKey,

    /** Stores an item and its media. The media is written first, so that no record refers to missing media. */
    async put(item: QueueItem, bytes: Uint8Array | undefined, also: readonly Op[] = []): Promise<void> {
      if (bytes !== undefined && !(await blobs?.put(blobKey(item.svcId), bytes))) {
        throw new Failure('queue_full', {
          message:
            'The media of waiting messages fill their disk space (SVC_BLOB_BUDGET_MB); try again when messages have been sent.',
        })
      }
      const op = items.encode(itemKey(item.svcId), item)
      try {
        await store.commit({ ops: [op, ...also] })
        if (op[1]!.byteLength <= FRESH_BYTES) fresh.set(item.svcId, op[1]!)
      } catch (error) {
        // The media is removed, because media without a record would count against the disk budget until the next
        // start.
        if (bytes !== undefined) await blobs?.remove(blobKey(item.svcId))
        throw error
      }
    },

    get: (svcId: string) => items.get(store, itemKey(svcId)),

    /** Returns undefined if the item or its media can no longer be read. Rejects if the storage itself fails. */
    async load(svcId: string): Promise<StoredItem | undefined> {
      const record = fresh.get(svcId) ?? (await store.get(itemKey(svcId)))
      try {
        if (record === undefined) throw new Error(`The waiting message ${svcId} is no longer stored.`)
        const item = items.decode(itemKey(svcId), record)
        if (!item.hasBytes) return item
        const key = blobKey(svcId)
        if (!blobs || !(await blobs.has(key))) throw new Error(`The media of the waiting message ${svcId} are no longer stored.`)
        return { ...item, copyMedia: (path, part, through) => blobs.copyTo(key, path, part, through) }
      } catch (error) {
        if (isStorageFailure(error)) throw error
        log.error(
          { instance_id: instanceId, svc_id: svcId, err: error },
          'queue: a waiting message or its media is damaged on disk; it fails with send_failed, and the others are sent',
        )
        return undefined
      }
    },

    waiting(svcId: string, bytes: Uint8Array, arrivalOf: (item: QueueItem) => number): Waiting | undefined {
      try {
        const item = items.decode(itemKey(svcId), bytes)
        return waitingOf(item, arrivalOf(item))
      } catch (error) {
        // The unreadable record is kept for an operator, but must not block the other items.
        log.error({ instance_id: instanceId, err: error }, 'queue: the record of an item could not be read; it was skipped')
        return undefined
      }
    },

    /**
     * Removes the media of items whose records were removed. Media that cannot be removed now is removed at the next
     * start.
     */
    async forget(gone: readonly Waiting[]): Promise<void> {
      for (const { svcId, hasBytes } of gone) {
        fresh.delete(svcId)
        if (!hasBytes) continue
        await blobs?.remove(blobKey(svcId)).catch((error: unknown) => {
          log.warn({ instance_id: instanceId, svc_id: svcId, err: error }, 'media of a removed queue item could not be deleted')
        })
      }
    },

    /**
     * Removes media whose item was never committed or no longer exists. If the storage fails, the queue starts anyway,
     * and the next start tries again.
     */
    async sweep(): Promise<void> {
      if (blobs === undefined) return
      const inBlobs = keys.blobs(instanceId)
      try {
        for (const key of await blobs.list(inBlobs))
          if ((await store.get(itemKey(key.slice(inBlobs.length)))) === undefined) await blobs.remove(key)
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        log.warn({ instance_id: instanceId, err: error }, 'media that no queue item needs could not be removed')
      }
    },
  }
}
