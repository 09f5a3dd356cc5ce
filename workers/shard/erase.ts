/** Every record of an instance, gone: shared/api/states.md, row 34. Repeatable: what a crash leaves is removed by the next attempt. */
import type { Blobs } from '../../src/storage/blobs.ts'
import type { Op, StateStore } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/keys.ts'
import type { AuthState } from './auth-state.ts'

const BATCH = 1_000

export async function eraseInstance(instance: string, store: StateStore, auth: AuthState, blobs: Blobs): Promise<void> {
  // Credentials first: nothing of a half-erased instance can log in.
  await auth.erase()
  for (const key of await blobs.list(keys.blobs(instance))) await blobs.remove(key)
  let ops: Op[] = []
  for await (const [key] of store.range(keys.instance(instance))) {
    ops.push([key, null])
    if (ops.length < BATCH) continue
    await store.commit({ ops })
    ops = []
  }
  if (ops.length > 0) await store.commit({ ops })
}
