/** Changes a record in a process that does not have the records in memory, such as an operator command. */
import type { Op, StateStore } from '../contract.ts'

/**
 * Resolves with false, and writes nothing, if the key does not have the bytes `before`; null means that the key must be
 * absent.
 */
export async function changeBesideService(
  store: StateStore,
  { key, before }: { key: string; before: Uint8Array | null },
  ops: readonly Op[],
): Promise<boolean> {
  const { changes } = store
  if (changes === undefined) return store.commit({ guard: { key, equals: before }, ops })
  for (;;) {
    const version = await changes.version()
    if (!isSame(await store.get(key), before)) return false
    if (await changes.commit(version, ops)) return true
    // A service has changed another record, so the change is tried again.
  }
}

const isSame = (found: Uint8Array | undefined, before: Uint8Array | null) =>
  found === undefined || before === null ? found === undefined && before === null : Buffer.compare(found, before) === 0
