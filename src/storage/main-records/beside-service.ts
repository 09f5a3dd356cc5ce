/** A change of a record by a process that does not have the records in memory, such as an operator command. */
import type { Op, StateStore } from '../contract.ts'

/** Resolves with false, and writes nothing, if the key does not have the bytes `before`; null means that it is absent. */
export async function changeBesideService(
  store: StateStore,
  { key, before }: { key: string; before: Uint8Array | null },
  ops: readonly Op[],
): Promise<boolean> {
  const { changes } = store
  if (changes === undefined) return store.commit({ guard: { key, equals: before }, ops })
  const version = await changes.version()
  const bytes = await store.get(key)
  const isSame =
    bytes === undefined || before === null ? bytes === undefined && before === null : Buffer.compare(bytes, before) === 0
  return isSame && changes.commit(version, ops)
}
