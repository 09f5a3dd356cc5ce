/** Removes many records in commits of a bounded size. After a crash, the same call removes what is left. */
import type { Op, StateStore } from './contract.ts'

/**
 * Maximum number of records that such a commit removes. A longer commit delays other commits, and the store reserves
 * disk space for it, which was a gigabyte for twenty thousand records.
 */
export const REMOVED_AT_ONCE = 100

export async function removeAll(store: Pick<StateStore, 'range' | 'commit'>, prefix: string): Promise<void> {
  for (;;) {
    const ops: Op[] = []
    for await (const [key] of store.range(prefix, { limit: REMOVED_AT_ONCE })) ops.push([key, null])
    if (ops.length === 0) return
    await store.commit({ ops })
  }
}

/** Removes the keys that have the prefix and are less than `end()`, which is determined again before each commit. */
export async function removeBefore(
  store: Pick<StateStore, 'range' | 'commit'>,
  prefix: string,
  end: () => string,
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped()) {
    const before = end()
    const ops: Op[] = []
    for await (const [key] of store.range(prefix, { limit: REMOVED_AT_ONCE })) {
      if (key >= before) break
      ops.push([key, null])
    }
    if (ops.length === 0) return
    await store.commit({ ops })
  }
}

export async function removeThese(store: Pick<StateStore, 'commit'>, ops: readonly Op[]): Promise<void> {
  for (let from = 0; from < ops.length; from += REMOVED_AT_ONCE)
    await store.commit({ ops: ops.slice(from, from + REMOVED_AT_ONCE) })
}
