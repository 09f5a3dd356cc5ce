/**
 * Deletes the records and files of an instance, except for its configuration, which the main thread writes. After a
 * crash it can be called again. The instance must not run.
 */
import type { AllBlobs } from '../../src/storage/blobs.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { removeAll } from '../../src/storage/remove-all.ts'
import type { KeyCache } from './keys/key-store.ts'

export interface EraseDeps {
  /** The store of the instance already refuses commits, so the thread's own store is used. */
  store: StateStore
  blobs: AllBlobs
  keyCache: KeyCache
}

export async function eraseInstance(instance: string, { store, blobs, keyCache }: EraseDeps): Promise<void> {
  // Credentials are removed first, so that an instance with only a part of its records cannot log in.
  await store.commit({ ops: [[keys.creds(instance), null]] })
  keyCache.forget(keys.signals(instance))
  await blobs.erase(instance)
  await removeAll(store, keys.instance(instance))
}
