/** Keeps an instance's log within its age and its size, a slice at a time. Events that still wait are never touched. */
import type { Logger } from 'pino'
import { decodeTime } from 'ulid'
import { type Clock, HOUR } from '../../../src/domain/clock.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { bodyOps, type LogRow } from '../../../src/webhooks/log.ts'
import { indexOps } from '../../../src/webhooks/log-index.ts'
import { KEEP_LOG_ENTRY, MAX_LOG_ENTRIES } from './schedule.ts'

/** Rows looked at per turn. */
const SLICE = 500

export interface LogPruning {
  /** A row was committed. */
  added(): void
  /** Removes what is too old or too much, when it is time to look. Cheap otherwise. */
  run(): Promise<void>
}

export interface LogPruningOptions {
  instanceId: string
  store: StateStore
  rows: { decode(key: string, bytes: Uint8Array): LogRow }
  clock: Clock
  steady: Clock
  log: Pick<Logger, 'error'>
  maxEntries?: number | undefined
}

export function logPruning({
  instanceId,
  store,
  rows,
  clock,
  steady,
  log,
  maxEntries = MAX_LOG_ENTRIES,
}: LogPruningOptions): LogPruning {
  const prefix = keys.log(instanceId)
  /** Counted once; undefined until then. */
  let count: number | undefined
  let nextLook = 0
  /** Position of the pass under way; undefined: none is. */
  let passed: string | undefined
  let seenByLook = 0
  let removedByLook = 0
  /** Nothing could be removed, because everything still waits: looking again before the hour would find the same. */
  let stuck = false

  /** undefined when it may not be removed yet. */
  function removal(key: string, bytes: Uint8Array): Op[] | undefined {
    try {
      const row = rows.decode(key, bytes)
      if (row.status === 'pending') return undefined
      const eventId = key.slice(prefix.length)
      return [[key, null], ...indexOps(instanceId, eventId, row, undefined), ...bodyOps(instanceId, eventId, row)]
    } catch (error) {
      log.error({ instance_id: instanceId, err: error }, 'webhook log row is not readable: removed')
      return [[key, null]]
    }
  }

  return {
    added() {
      if (count !== undefined) count++
    },
    async run() {
      if (passed === undefined && steady.now() < nextLook && (stuck || (count ?? 0) <= maxEntries)) return
      count ??= await store.count(prefix)
      const tooOld = clock.now() - KEEP_LOG_ENTRY
      // A little more than needed, so that a full log is not pruned at every event.
      let excess = count > maxEntries ? count - maxEntries + Math.floor(maxEntries / 500) : 0
      let seen = 0
      let removed = 0
      let isDone = false
      const ops: Op[] = []
      for await (const [key, bytes] of store.range(prefix, {
        limit: SLICE,
        ...(passed === undefined ? {} : { after: passed }),
      })) {
        if (excess <= 0 && decodeTime(key.slice(prefix.length)) >= tooOld) {
          isDone = true
          break
        }
        seen++
        passed = key
        const gone = removal(key, bytes)
        if (gone === undefined) continue
        ops.push(...gone)
        excess--
        removed++
      }
      if (ops.length > 0) await store.commit({ ops })
      count -= removed
      seenByLook += seen
      removedByLook += removed
      if (!isDone && seen === SLICE) return
      passed = undefined
      // A short look costs nothing, and is made again with the next event.
      stuck = removedByLook === 0 && seenByLook >= SLICE
      seenByLook = 0
      removedByLook = 0
      nextLook = steady.now() + HOUR
    },
  }
}
