/** Earlier runs of `instance export`: the rule for repeating the command. */
import { access } from 'node:fs/promises'
import { type MovedTo, movedTo, notMoved } from '../archive/moved-to.ts'
import type { FoundInstance } from './instance-orders.ts'
import type { Stored } from './stored.ts'

/**
 * The record of a run that was interrupted while it moved the instance to `path`, or that nobody saw end. Undefined if there is none. Throws if the instance
 * was moved to another path that exists: with two copies of the device, both could be connected.
 */
export async function earlierTarget(
  { store, sealer }: Stored,
  { id, state }: FoundInstance,
  path: string,
): Promise<MovedTo | undefined> {
  const earlier = await movedTo(store, sealer, id)
  if (!earlier) return undefined
  if (state.reason !== 'moved') {
    // The instance was started again since then, so that target is out of date.
    await store.commit({ ops: [notMoved(id)] })
    return undefined
  }
  if (!(await exists(earlier.path))) return undefined
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
