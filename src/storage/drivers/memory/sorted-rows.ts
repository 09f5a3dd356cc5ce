import { type Batch, type CountOptions, checkOps, checkRecordKey, type RangeOptions } from '../../contract.ts'

export type Row = readonly [key: string, value: Uint8Array]

export interface SortedRows {
  get(key: string): Uint8Array | undefined
  /**
   * Returns false, and changes nothing, if the condition of the batch is not met. The values are not copied, so the
   * caller must not change them.
   */
  commit(batch: Batch): boolean
  page(prefix: string, options: RangeOptions & { limit: number }): Row[]
  count(prefix: string, options: CountOptions): number
  size(): number
}

const ABOVE = '\x7f'

export function createSortedRows(): SortedRows {
  const values = new Map<string, Uint8Array>()
  const order: string[] = []
  let bytes = 0

  function indexOf(bound: string): number {
    let [low, high] = [0, order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (order[middle]! < bound) low = middle + 1
      else high = middle
    }
    return low
  }

  function put(key: string, value: Uint8Array | null): void {
    const before = values.get(key)
    if (before !== undefined) bytes -= key.length + before.byteLength
    if (value !== null) bytes += key.length + value.byteLength
    if (before === undefined && value !== null) order.splice(indexOf(key), 0, key)
    if (before !== undefined && value === null) order.splice(indexOf(key), 1)
    if (value === null) values.delete(key)
    else values.set(key, value)
  }

  const first = (prefix: string, from: string | undefined) => indexOf(from !== undefined && from > prefix ? from : prefix)
  const end = (prefix: string, before: string | undefined) =>
    Math.min(indexOf(prefix + ABOVE), before === undefined ? order.length : indexOf(before))

  return {
    get: (key) => values.get(key),
    commit({ guard, ops }) {
      if (guard) checkRecordKey(guard.key)
      checkOps(ops)
      if (guard && !isSame(values.get(guard.key), guard.equals)) return false
      for (const [key, value] of ops) put(key, value)
      return true
    },
    page(prefix, { after, limit, reverse = false }) {
      const found = reverse
        ? order.slice(Math.max(first(prefix, undefined), end(prefix, after) - limit), end(prefix, after)).reverse()
        : order.slice(first(prefix, after === undefined ? undefined : `${after}\x01`), end(prefix, undefined)).slice(0, limit)
      return found.map((key) => [key, values.get(key)!] as const)
    },
    count: (prefix, { from, before }) => Math.max(0, end(prefix, before) - first(prefix, from)),
    size: () => bytes,
  }
}

const isSame = (found: Uint8Array | undefined, expected: Uint8Array | null): boolean =>
  found === undefined || expected === null ? found === undefined && expected === null : Buffer.compare(found, expected) === 0
