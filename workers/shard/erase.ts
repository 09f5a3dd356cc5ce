/**
 * Deletes every record of an instance: shared/api/states.md, row 34. Repeatable: the next attempt removes what a crash left behind. The
 * instance need not be running, or able to run: it was stopped before, or could not be started.
 */
import type { BlobFiles } from '../../src/storage/blobs.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { removeAll } from '../../src/storage/remove-all.ts'
import type { KeyCache } from './keys/key-store.ts'

export interface EraseDeps {
  /** The thread's own store: that of the instance refuses commits by now. */
  store: StateStore
  blobs: BlobFiles
  keyCache: KeyCache
}

export async function eraseInstance(instance: string, { store, blobs, keyCache }: EraseDeps): Promise<void> {
  // Credentials first: nothing of a half-erased instance can log in.
  await store.commit({ ops: [[keys.creds(instance), null]] })
  keyCache.forget(keys.signals(instance))
  await blobs.erase(instance)
  await removeAll(store, keys.instance(instance))
}
