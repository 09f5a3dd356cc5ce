/**
 * Opens the store of this thread, and says which driver serves which mount of unstorage: `state:` is served by the backend that the URL names, whose driver
 * can commit. (Media are in `blobs:`, which any driver can serve: `blobs.ts`.)
 */
import { createStorage } from 'unstorage'
import { backendOf } from './backends.ts'
import type { OpenOptions, OpenStore } from './store-backend.ts'

export type { OpenStore } from './store-backend.ts'

export const STATE = 'state'

export async function openStore(url: string, options: OpenOptions = {}): Promise<OpenStore> {
  const backend = await backendOf(url)
  const driver = await backend.open(options)
  const storage = createStorage()
  storage.mount(STATE, driver)
  return { ...driver, storage, close: driver.dispose }
}
