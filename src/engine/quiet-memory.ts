/**
 * Returns the memory of a thread to the system when the thread has little work. V8 collects garbage only when it needs memory for new objects. A
 * thread that stops working needs no memory, so without this module it would keep the memory of its busiest minute.
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { SECOND } from '../domain/clock.ts'
import { spareMemory } from './spare-memory.ts'

const CHECK_EVERY = 15 * SECOND
/** Number of checks in a row that must find the thread quiet before garbage is collected. Four checks take a minute. */
const QUIET_CHECKS = 4
/** The largest share of time that a thread may work and still count as quiet. A thread with a thousand idle instances works 0.04 of its time. */
const QUIET_SHARE = 0.1
/** Smallest growth in bytes since the last collection that makes another collection worth its pause. */
const WORTH_IT = 8 * 2 ** 20

export interface Reading {
  /** Share of the time since the last check that the thread worked, 0 to 1. */
  busy: number
  /** Bytes of the thread's objects, including the free space between them and the buffers. */
  bytes: number
}

export interface QuietMemory {
  /**
   * Whether a collection is due: the thread has worked since the last collection, has been quiet for long enough, and holds enough bytes. Call it at
   * every check. The bytes that a quiet thread allocates do not make a collection due, because a thread with many idle instances would then collect
   * every minute.
   */
  isDue(reading: Reading): boolean
  /** Called after each collection with the bytes that the thread then holds. */
  collected(bytes: number): void
}

/** `bytes` is the number of bytes that the thread holds at its start, after a collection. */
export function createQuietMemory(bytes: number): QuietMemory {
  let least = bytes
  let quietChecks = 0
  let hasWorked = false
  return {
    isDue(reading) {
      quietChecks = reading.busy < QUIET_SHARE ? quietChecks + 1 : 0
      hasWorked ||= quietChecks === 0
      // The number of bytes can also decrease, because V8 collects garbage by itself.
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

/** Watches this thread until it ends. Call it after the thread's start and its first `spareMemory`. */
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
      // The time of the collection must not count as work of the thread, so the measurement begins again.
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
