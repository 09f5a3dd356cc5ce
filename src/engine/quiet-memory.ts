/**
 * Returns the memory of a thread to the system when the thread has become quiet. V8 collects garbage when new objects need room. A thread that stops
 * working needs none, so without this it would keep what the busiest minute took.
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { SECOND } from '../domain/clock.ts'
import { spareMemory } from './spare-memory.ts'

const CHECK_EVERY = 15 * SECOND
/** Number of quiet checks in a row before a collection: a minute. */
const QUIET_CHECKS = 4
/** Share of its time that a quiet thread works at most. A thousand idle instances take 0.04 of one. */
const QUIET_SHARE = 0.1
/** Growth in bytes since the last collection below which a further collection is not worth its pause. */
const WORTH_IT = 8 * 2 ** 20

export interface Reading {
  /** Share of the time since the last check that the thread worked, 0 to 1. */
  busy: number
  /** Bytes of the thread's objects, free room between them and buffers included. */
  bytes: number
}

export interface QuietMemory {
  /**
   * Whether a collection is due: the thread has worked since the last collection, has been quiet for long enough, and holds enough. To be called at
   * every check. Allocations of a quiet thread are no reason for one: a thread of many idle instances would collect every minute.
   */
  isDue(reading: Reading): boolean
  /** Bytes that the thread holds after a collection. */
  collected(bytes: number): void
}

/** `bytes`: what the thread holds at its start, after a collection. */
export function createQuietMemory(bytes: number): QuietMemory {
  let least = bytes
  let quietChecks = 0
  let hasWorked = false
  return {
    isDue(reading) {
      quietChecks = reading.busy < QUIET_SHARE ? quietChecks + 1 : 0
      hasWorked ||= quietChecks === 0
      // V8 also returns memory by itself.
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
      // The collection is no work of the thread.
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
