/** unstorage driver for records in memory. Nothing is durable: the records end with their thread. */
import { defineDriver } from 'unstorage'
import { ownedBytes } from '../../lib/owned-bytes.ts'
import { type Batch, checkOps, KEY_LIMIT, type RangeOptions } from '../contract.ts'
import type { StateDriver } from '../store-backend.ts'
import type { Asked } from './memory/shared-rows.ts'
import { unstorageItems } from './unstorage-items.ts'

const RANGE_STEP = 128

export interface MemoryOptions {
  rows: Asked
  onCommit?: ((isStored: boolean) => void) | undefined
  close(): void
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

export const memoryDriver = defineDriver(({ rows, onCommit, close }: MemoryOptions): StateDriver => {
  async function commit({ guard, ops }: Batch): Promise<boolean> {
    checkOps(ops)
    // The bytes of a view may change, and a view would keep its whole buffer in memory.
    const own = ops.map(([key, value]) => [key, value === null ? null : ownedBytes(value)] as const)
    const isStored = await rows.commit({ ops: own, ...(guard === undefined ? {} : { guard }) })
    onCommit?.(true)
    return isStored
  }

  async function* range(prefix: string, { after, limit = Number.POSITIVE_INFINITY, reverse = false }: RangeOptions = {}) {
    let last = after
    for (let left = limit; left > 0; ) {
      const step = Math.min(left, RANGE_STEP)
      const page = await rows.page(prefix, { limit: step, reverse, ...(last === undefined ? {} : { after: last }) })
      for (const [key, value] of page) yield [key, bufferOf(value)] as const
      if (page.length < step) return
      left -= step
      last = page.at(-1)![0]
    }
  }

  const state = {
    async get(key: string) {
      const found = key.length > KEY_LIMIT ? undefined : await rows.get(key)
      return found && bufferOf(found)
    },
    commit,
    range,
    count: async (prefix: string, options = {}) => rows.count(prefix, options),
  }
  return { name: 'memory', ...state, ...unstorageItems(state), dispose: async () => close() }
}) as (options: MemoryOptions) => StateDriver
