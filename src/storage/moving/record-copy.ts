import type { Op, StateStore } from '../contract.ts'
import { keysOfStore } from '../record-keys.ts'

/** Maximum number of records in one commit. A larger commit would need much free space in lmdb's file at once. */
const RECORDS_AT_ONCE = 500
const BYTES_AT_ONCE = 4 * 1_024 * 1_024

type Entry = readonly [key: string, value: Uint8Array]

/**
 * Compares both stores in key order. Yields the operations that make `to` equal to `from`, and undefined for each
 * record that is equal.
 */
async function* differences(
  from: Pick<StateStore, 'range'>,
  to: Pick<StateStore, 'range'>,
): AsyncGenerator<Op | undefined, void, void> {
  const [wanted, existing] = [records(from), records(to)]
  let [want, have] = [await wanted.next(), await existing.next()]
  while (!want.done || !have.done) {
    const [wantKey, haveKey] = [want.value?.[0], have.value?.[0]]
    if (wantKey === undefined || (haveKey !== undefined && haveKey < wantKey)) {
      yield [haveKey!, null]
      have = await existing.next()
    } else if (wantKey === haveKey) {
      const isEqual = Buffer.compare(want.value![1], have.value![1]) === 0
      yield isEqual ? undefined : want.value!
      ;[want, have] = [await wanted.next(), await existing.next()]
    } else {
      yield want.value!
      want = await wanted.next()
    }
  }
}

async function* records(store: Pick<StateStore, 'range'>): AsyncGenerator<Entry, undefined, void> {
  for await (const entry of store.range('')) if (!keysOfStore.has(entry[0])) yield entry
}

export interface CopiedRecords {
  records: number
  /** Number of records that were written or removed. Zero means that the compared records were equal, byte by byte. */
  changes: number
}

/**
 * Makes the records of `to` equal to those of `from`, and so removes records that `from` does not have. `onLooked` is
 * called now and then with the number of records of `from` that were compared so far.
 */
export async function copyRecords(
  from: StateStore,
  to: StateStore,
  onLooked: (records: number) => void | Promise<void>,
): Promise<CopiedRecords> {
  let ops: Op[] = []
  let [bytes, records, changes] = [0, 0, 0]

  async function flush() {
    await to.commit({ ops })
    changes += ops.length
    ops = []
    bytes = 0
    await onLooked(records)
  }

  for await (const op of differences(from, to)) {
    if (op?.[1] !== null) records++
    if (op === undefined) {
      if (records % RECORDS_AT_ONCE === 0) await onLooked(records)
      continue
    }
    ops.push(op)
    bytes += op[0].length + (op[1]?.byteLength ?? 0)
    if (ops.length === RECORDS_AT_ONCE || bytes >= BYTES_AT_ONCE) await flush()
  }
  if (ops.length > 0) await flush()
  return { records, changes }
}

export async function countDifferences(one: StateStore, other: StateStore): Promise<number> {
  let found = 0
  for await (const op of differences(one, other)) if (op !== undefined) found++
  return found
}
