import { access } from 'node:fs/promises'
import { type MovedTo, movedTo } from '../archive/moved-to.ts'
import type { FoundInstance } from './instance-orders.ts'
import type { Stored } from './stored.ts'

/**
 * Returns the record of an earlier run that moved the instance to `path`; undefined if there is none, or if the target
 * no longer exists. Throws if the instance was moved to another path that still exists, because two copies of the
 * device could both be connected.
 */
export async function earlierTarget(
  { store, sealer }: Stored,
  { id, state }: FoundInstance,
  path: string,
): Promise<MovedTo | undefined> {
  // If the instance was started again after the export, the exported device is out of date, so the record of the export
  // does not count.
  const earlier = state.reason === 'moved' ? await movedTo(store, sealer, id) : undefined
  if (!earlier || !(await exists(earlier.path))) return undefined
  if (earlier.path === path) return earlier
  throw new Error(
    `Instance ${id} was already moved to ${earlier.path}. Use that, or remove it; messages to be sent and events to be delivered may only be there.`,
  )
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
