/**
 * Prunes the webhook log of an instance by age and size. Rows of pending events are kept, unless they cannot be
 * decoded.
 */
import type { Logger } from 'pino'
import { decodeTime } from 'ulid'
import { type Clock, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { REMOVED_AT_ONCE } from '../../../src/storage/remove-all.ts'
import { bodyOps } from '../../../src/webhooks/log.ts'
import { indexOps } from '../../../src/webhooks/log-index.ts'
import type { EventRows } from './event-rows.ts'
import { KEEP_LOG_ENTRY, MAX_LOG_ENTRIES } from './schedule.ts'

/** Maximum number of rows that are examined in one turn of the work loop. */
const SLICE = 500
/** Pause in ms after the storage failed. It delays only the pruning, not the deliveries. */
const AGAIN_AFTER = MINUTE

export interface LogPruning {
  added(): void
  /** Removes some rows. Returns or resolves with true if more rows must be examined. */
  run(): boolean | Promise<boolean>
}

export interface LogPruningOptions {
  instanceId: string
  store: StateStore
  rows: Pick<EventRows, 'decode'>
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
  /** Number of rows in the log; undefined until they have been counted. */
  let count: number | undefined
  let nextLook = 0
  /** Key of the last examined row; undefined if the log is not being examined. */
  let passed: string | undefined
  let seenByLook = 0
  let removedByLook = 0
  /**
   * Whether many rows were examined and none could be removed, because their events are pending. The next attempt is
   * then an hour later.
   */
  let stuck = false
  let notBefore = 0

  function removal(key: string, bytes: Uint8Array): Op[] | undefined {
    try {
      const eventId = key.slice(prefix.length)
      const row = rows.decode(eventId, bytes)
      if (row.status === 'pending') return undefined
      return [[key, null], ...indexOps(instanceId, eventId, row, undefined), ...bodyOps(instanceId, eventId, row)]
    } catch (error) {
      log.error({ instance_id: instanceId, err: error }, 'a stored webhook log row could not be decoded; it was removed')
      return [[key, null]]
    }
  }

  async function remove(ops: Op[], rows: number) {
    if (ops.length === 0) return
    await store.commit({ ops })
    count! -= rows
    removedByLook += rows
  }

  async function look(): Promise<boolean> {
    count ??= await store.count(prefix)
    const tooOld = clock.now() - KEEP_LOG_ENTRY
    // A few more rows are removed than necessary, so that a full log is not pruned at every event.
    let excess = count > maxEntries ? count - maxEntries + Math.floor(maxEntries / 500) : 0
    let seen = 0
    let isDone = false
    let ops: Op[] = []
    let rows = 0
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
      rows++
      excess--
      if (ops.length < REMOVED_AT_ONCE) continue
      await remove(ops, rows)
      ops = []
      rows = 0
    }
    await remove(ops, rows)
    seenByLook += seen
    if (!isDone && seen === SLICE) return true
    // Examining few rows is cheap, so it may be repeated with the next event.
    stuck = removedByLook === 0 && seenByLook >= SLICE
    begin()
    nextLook = steady.now() + HOUR
    return false
  }

  function begin() {
    passed = undefined
    seenByLook = 0
    removedByLook = 0
  }

  async function lookOrPause(now: number): Promise<boolean> {
    try {
      return await look()
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      log.error({ instance_id: instanceId, err: error }, 'old rows of the webhook log could not be removed')
      begin()
      notBefore = now + AGAIN_AFTER
      return false
    }
  }

  return {
    added() {
      if (count !== undefined) count++
    },
    run() {
      const now = steady.now()
      const isWaiting = now < notBefore || (passed === undefined && now < nextLook && (stuck || (count ?? 0) <= maxEntries))
      return !isWaiting && lookOrPause(now)
    },
  }
}
