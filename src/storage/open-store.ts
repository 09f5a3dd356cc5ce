/**
 * Selects the unstorage drivers: that for records by the URL of the store, and that for media by the place of the
 * media.
 */
import { createStorage, prefixStorage } from 'unstorage'
import type { BlobPlace } from '../domain/blob-place.ts'
import { backendOf } from './backends.ts'
import type { BlobDriver, BlobItems } from './blobs/items.ts'
import { blobFiles } from './drivers/blob-files.ts'
import type { OpenOptions, OpenStore } from './store-backend.ts'

export type { OpenStore } from './store-backend.ts'

export const STATE = 'state'
export const BLOBS = 'blobs'

export async function openStore(url: string, options: OpenOptions = {}): Promise<OpenStore> {
  const backend = await backendOf(url)
  const driver = await backend.open(options)
  const storage = createStorage()
  storage.mount(STATE, driver)
  return { ...driver, storage, close: driver.dispose }
}

type Keeper = Pick<OpenStore, 'blobDriver' | 'shown'>

/** Functions that open the driver for media. The driver for buckets is loaded only if the media are in a bucket. */
const BLOB_DRIVERS: { [In in BlobPlace['in']]: (place: Extract<BlobPlace, { in: In }>, store: Keeper) => Promise<BlobDriver> } = {
  files: async ({ dir }) => blobFiles({ dir }),
  async store(_, { blobDriver, shown }) {
    if (blobDriver === undefined) throw new Error(`The store in ${shown} keeps no media; name a folder for them (SVC_BLOBS_DIR).`)
    return blobDriver
  },
  bucket: async ({ bucket }) => (await import('./drivers/blob-bucket.ts')).blobBucket({ bucket }),
}

export async function openBlobItems(place: BlobPlace, store: Keeper): Promise<BlobItems> {
  const open = BLOB_DRIVERS[place.in] as (place: BlobPlace, store: Keeper) => Promise<BlobDriver>
  return mountBlobs(await open(place, store))
}

export function mountBlobs(driver: BlobDriver): BlobItems {
  const storage = createStorage()
  storage.mount(BLOBS, driver)
  const { getItemRaw, setItemRaw, removeItem, getKeys } = prefixStorage<Uint8Array>(storage, BLOBS)
  return {
    getItemRaw,
    setItemRaw,
    removeItem,
    getKeys,
    ...(driver.setWhole && { setWhole: driver.setWhole }),
    forget: async (owner) => driver.forget?.(owner),
    removeDrafts: async () => driver.removeDrafts?.(),
  }
}
