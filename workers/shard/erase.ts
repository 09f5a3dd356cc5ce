/**
 * Deletes every record of an instance. After a crash it can be called again, and removes the records that are left. The instance need not run: it was
 * stopped before, or could not be started.
 */
import type { AllBlobs } from '../../src/storage/blobs.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { removeAll } from '../../src/storage/remove-all.ts'
import type { KeyCache } from './keys/key-store.ts'

export interface EraseDeps {
  /** The thread's own store is used here, because the store of the instance already refuses commits. */
  store: StateStore
  blobs: AllBlobs
  keyCache: KeyCache
}

export async function eraseInstance(instance: string, { store, blobs, keyCache }: EraseDeps): Promise<void> {
  // Credentials are removed first, so that an instance cannot log in if only a part of its records was removed.
  await store.commit({ ops: [[keys.creds(instance), null]] })
  keyCache.forget(keys.signals(instance))
  await blobs.erase(instance)
  await removeAll(store, keys.instance(instance))
}
