/**
 * Returns memory to the system when the thread has little work. V8 collects garbage mainly when it needs memory for new
 * objects, so an idle thread would keep the memory of its busiest minute.
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { SECOND } from '../domain/clock.ts'
import { spareMemory } from './spare-memory.ts'

const CHECK_EVERY = 15 * SECOND
/** Minimum number of quiet checks in a row before a collection; they take a minute. */
const QUIET_CHECKS = 4
/**
 * Maximum share of the time in which a quiet thread works. A thread with a thousand idle instances works 4 % of the
 * time.
 */
const QUIET_SHARE = 0.1
/**
 * Minimum growth of the memory in bytes over its smallest value since the last collection. For less, the pause of a
 * collection is not worth it.
 */
const WORTH_IT = 8 * 2 ** 20

export interface Reading {
  busy: number
  bytes: number
}

export interface QuietMemory {
  /** Whether a collection is due. Must be called at every check, because it counts quiet checks. */
  isDue(reading: Reading): boolean
  collected(bytes: number): void
}

/** `bytes` is the memory of the thread at the call. Growth is measured from it, or from a smaller value since then. */
export function createQuietMemory(bytes: number): QuietMemory {
  let least = bytes
  let quietChecks = 0
  let hasWorked = false
  return {
    isDue(reading) {
      quietChecks = reading.busy < QUIET_SHARE ? quietChecks + 1 : 0
      hasWorked ||= quietChecks === 0
      // V8 also collects garbage by itself, so the number of bytes can decrease.
      least = Math.min(least, reading.bytes)
      return hasWorked && quietChecks >= QUIET_CHECKS && reading.bytes >= least + WORTH_IT
    },
    collected(bytes) {
      least = bytes
      quietChecks = 0
      hasWorked = false
    },
  }
}

export function spareMemoryWhenQuiet(): void {
  const memory = createQuietMemory(heldBytes())
  let before = performance.eventLoopUtilization()
  const check = async () => {
    const now = performance.eventLoopUtilization()
    const busy = performance.eventLoopUtilization(now, before).utilization
    before = now
    if (memory.isDue({ busy, bytes: heldBytes() })) {
      await spareMemory()
      memory.collected(heldBytes())
      // The time of the collection must not count as work, so the measurement begins again.
      before = performance.eventLoopUtilization()
    }
    setTimeout(check, CHECK_EVERY).unref()
  }
  setTimeout(check, CHECK_EVERY).unref()
}

function heldBytes(): number {
  const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics()
  return heap + buffers
}
