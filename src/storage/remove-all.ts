/** Removes every record under a prefix. Repeatable: the next attempt removes what a crash leaves. */
import type { Op, StateStore } from './contract.ts'

/** Removed in one commit: a longer one would hold up those of everybody else. */
const BATCH = 1_000

export async function removeAll(store: Pick<StateStore, 'range' | 'commit'>, prefix: string, batch = BATCH): Promise<void> {
  for (;;) {
    const ops: Op[] = []
    for await (const [key] of store.range(prefix, { limit: batch })) ops.push([key, null])
    if (ops.length === 0) return
    await store.commit({ ops })
  }
}
