/**
 * Supervises one shard thread: starts it, starts it again with a longer delay after each end, and ends a thread that
 * stopped answering.
 */

import { MINUTE } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { orLate } from '../lib/deadline.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { ShardRequest } from './protocol.ts'
import { createShardWatch } from './shard-watch.ts'
import { createThreadLife, type ThreadLife, type ThreadLifeOptions } from './thread-life.ts'

/**
 * Time limit in ms of a call. A call without an answer in this time fails with `engine_unavailable`. The longest
 * deadline of an operation is 45 s.
 */
const CALL_LIMIT = MINUTE
/** Milliseconds after the deadline of a stop in which the thread must close the storage and answer. */
const CLOSE_GRACE = 500

export interface ShardOptions extends ThreadLifeOptions {
  watchEveryMs?: number | undefined
  onReport(generation: number, report: ShardReport): void
}

export interface Shard extends Omit<ThreadLife, 'taking' | 'finish'> {
  readonly index: number
  run(request: ShardRequest, limitMs?: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Resolves when the thread has sent a report, when it cannot send one, or after `limitMs`. */
  refreshReport(limitMs: number): Promise<void>
  close(deadlineMs: number): Promise<void>
}

export function createShardSupervisor({ watchEveryMs, onReport, ...options }: ShardOptions): Shard {
  const { log } = options
  const { shard } = options.setup
  const watch = createShardWatch({ shard, log, everyMs: watchEveryMs, onReport })
  const { taking, finish, ...life } = createThreadLife(options, watch)

  return {
    ...life,
    index: shard,

    run(request, limitMs = CALL_LIMIT, transfer) {
      return taking()?.run(request, limitMs, transfer) ?? Promise.reject(new Failure('engine_unavailable'))
    },

    async refreshReport(limitMs) {
      const run = taking()
      // The watchdog handles a ping that fails or stays unanswered.
      if (run !== undefined) await orLate(watch.ping(run), limitMs, () => {}).catch(() => {})
    },

    async close(deadlineMs) {
      const last = finish()
      if (last?.isUp)
        await last.run.run({ type: 'close', deadlineMs }, deadlineMs + CLOSE_GRACE).catch((error) => {
          log.warn({ shard, err: error }, 'the shard did not close its sessions in time; terminating its thread')
        })
      await last?.run.end()
    },
  }
}
