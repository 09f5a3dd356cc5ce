/** Removes every record under a prefix. Repeatable: the next attempt removes what a crash leaves. */
import type { Op, StateStore } from './contract.ts'

/**
 * Records removed in one commit, wherever many are. A longer one holds up those of everybody else, and the store makes its file as long as a commit
 * could need (`drivers/lmdb-room.ts`): for twenty thousand at once that was a gigabyte.
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

/** The same for records that were looked up. */
export async function removeThese(store: Pick<StateStore, 'commit'>, ops: readonly Op[]): Promise<void> {
  for (let from = 0; from < ops.length; from += REMOVED_AT_ONCE)
    await store.commit({ ops: ops.slice(from, from + REMOVED_AT_ONCE) })
}
