/**
 * Selects the driver of each mount of unstorage. The backend that the URL of the store names serves `state:`, with a
 * driver that can commit. A driver for files serves `blobs:`, or the driver of a store that keeps media itself; any driver
 * of unstorage could.
 */
import { createStorage, prefixStorage } from 'unstorage'
import { backendOf } from './backends.ts'
import type { BlobDriver, BlobItems } from './blobs/items.ts'
import { blobFiles } from './drivers/blob-files.ts'
import type { OpenOptions, OpenStore } from './store-backend.ts'

export type { OpenStore } from './store-backend.ts'

export const STATE = 'state'
export const BLOBS = 'blobs'

/** Opens the store of this thread. */
export async function openStore(url: string, options: OpenOptions = {}): Promise<OpenStore> {
  const backend = await backendOf(url)
  const driver = await backend.open(options)
  const storage = createStorage()
  storage.mount(STATE, driver)
  return { ...driver, storage, close: driver.dispose }
}

/** Opens the media for this thread. `dir` is the folder of the media of all instances; null if the store keeps them. */
export function openBlobItems(dir: string | null, store?: Pick<OpenStore, 'blobDriver' | 'shown'>): BlobItems {
  const driver = dir === null ? store?.blobDriver : blobFiles({ dir })
  if (driver === undefined)
    throw new Error(`The store in ${store?.shown} keeps no media; name a folder for them (SVC_BLOBS_DIR).`)
  return mountBlobs(driver)
}

export function mountBlobs(driver: BlobDriver): BlobItems {
  const storage = createStorage()
  storage.mount(BLOBS, driver)
  const { getItemRaw, setItemRaw, removeItem, getKeys } = prefixStorage<Uint8Array>(storage, BLOBS)
  return { getItemRaw, setItemRaw, removeItem, getKeys, forget: async (owner) => driver.forget?.(owner) }
}
