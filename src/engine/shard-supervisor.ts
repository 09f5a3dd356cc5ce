/**
 * Supervises one shard. It starts thread runs, each after a back-off, and ends a run that stopped answering. The supervisor does not know the
 * instances: `onUp` reports that a run is ready, and the pool boots the shard's instances in it.
 */

import { type Clock, HOUR, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { isPassing } from '../domain/passing-error.ts'
import { orLate } from '../lib/deadline.ts'
import { deferred } from '../lib/deferred.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { EngineEvent, ShardNeed } from './engine.ts'
import { firstAnswer } from './first-answer.ts'
import type { ShardRequest } from './protocol.ts'
import { createShardWatch } from './shard-watch.ts'
import { startThreadRun, type ThreadRun, type ThreadRunOptions } from './thread-run.ts'

const FIRST_DELAY = 250
const LAST_DELAY = 30 * SECOND
/** Duration in ms after which a run counts as stable; the next crash then begins with the first delay again. */
const STABLE = MINUTE
/**
 * Time limit of a start in ms. Loading the library and opening storage take 0.2 to 1 s, but minutes on a busy machine. Ending the thread there would
 * make the next start even slower, so the limit is long. A thread that hangs is still replaced; each replacement doubles the limit, up to one hour.
 */
const START_LIMIT = 5 * MINUTE
const LAST_START_LIMIT = HOUR
/** Interval at which a start that is not finished yet is logged. */
const SAY_EVERY = 10 * SECOND
/** Time after which the thread counts as not answering a call; the longest deadline of an operation is 45 s. */
const CALL_LIMIT = MINUTE
/**
 * Time in ms after the deadline of a stop within which the shard must answer. At the deadline it stops waiting for its sessions and closes the
 * storage.
 */
const CLOSE_GRACE = 500

/** Returns the delay of the next run: 250 ms, doubled with every run that ended early, at most 30 s. */
export const respawnDelay = (earlyEnds: number) => Math.min(LAST_DELAY, FIRST_DELAY * 2 ** Math.min(earlyEnds, 16))

export interface ShardOptions extends Pick<ThreadRunOptions, 'worker' | 'data' | 'heapMb'> {
  log: Log
  clock: Clock
  watchEveryMs?: number | undefined
  startLimitMs?: number | undefined
  sayEveryMs?: number | undefined
  onEvent(event: EngineEvent | ShardNeed): void
  /** Called when a new thread run answers; it hosts no instances yet. */
  onUp(generation: number): void
  /** Receives an answer to a ping. */
  onReport(generation: number, report: ShardReport): void
}

export interface Shard {
  readonly index: number
  /** Resolves when a run answers for the first time. Rejects if a run ended before that with an error that a retry cannot fix. */
  readonly begun: Promise<void>
  /** Returns the duration of the current start in ms; undefined while a run answers. */
  startingFor(): number | undefined
  /** Returns the generation of the run that answers; undefined if there is none. */
  generation(): number | undefined
  /** Whether `onEvent` has received every state that this run announced. */
  hasToldAll(): boolean
  run(request: ShardRequest, limitMs?: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Resolves when the shard has sent a report, when it cannot send one, or after `limitMs`. */
  refreshReport(limitMs: number): Promise<void>
  close(deadlineMs: number): Promise<void>
}

export function createShardSupervisor(options: ShardOptions): Shard {
  const { log, clock, onEvent, onUp, onReport, watchEveryMs, ...thread } = options
  const { startLimitMs = START_LIMIT, sayEveryMs = SAY_EVERY } = options
  const { shard } = thread.data
  let generation = 0
  let current: ThreadRun | undefined
  let isUp = false
  let upSince = 0
  let earlyEnds = 0
  /** Number of consecutive runs that were ended because they did not answer within the limit of a start. */
  let lateStarts = 0
  let downSince = clock.now()
  let hasBegun = false
  let isClosed = false
  const begun = deferred()
  let respawn: NodeJS.Timeout | undefined
  const watch = createShardWatch({ shard, log, everyMs: watchEveryMs, onReport })

  async function live(): Promise<void> {
    let refusal: unknown
    const started = startThreadRun({
      ...thread,
      generation: ++generation,
      onEvent,
      onEnd: (cause) => ended(started, refusal ?? cause),
    })
    current = started
    try {
      await firstAnswer(started, shard, {
        limitMs: Math.min(LAST_START_LIMIT, startLimitMs * 2 ** lateStarts),
        sayEveryMs,
        clock,
        log,
        onLate: () => void lateStarts++,
      })
    } catch (error) {
      // If the thread is dead, its end has been reported or will be. If it is alive, it refused the command or hangs.
      if (started.isOver()) return
      refusal = error
      await started.end()
      return
    }
    if (current !== started) return
    up(started)
  }

  function up(started: ThreadRun) {
    isUp = true
    lateStarts = 0
    upSince = clock.now()
    watch.begin(started)
    log.info({ shard, generation: started.generation, duration_ms: upSince - downSince }, 'the shard is up')
    hasBegun = true
    begun.resolve()
    onUp(started.generation)
  }

  function ended(which: ThreadRun, cause: unknown) {
    if (current !== which) return
    const wasUp = isUp
    current = undefined
    isUp = false
    if (wasUp) downSince = clock.now()
    watch.stop()
    if (isClosed) return begun.reject(cause)
    if (!hasBegun && !isPassing(cause)) {
      log.error({ shard, err: cause }, 'the shard ended before it was ready')
      return begun.reject(cause)
    }
    earlyEnds = wasUp && clock.now() - upSince >= STABLE ? 0 : earlyEnds
    const delayMs = respawnDelay(earlyEnds++)
    log.error({ shard, generation: which.generation, err: cause, delay_ms: delayMs }, 'the shard ended; restarting it')
    respawn = setTimeout(startNext, delayMs)
  }

  const startNext = () => void live().catch((error) => log.error({ shard, err: error }, 'the shard did not start'))

  begun.promise.catch(() => {})
  startNext()

  return {
    index: shard,
    begun: begun.promise,
    startingFor: () => (isUp || isClosed ? undefined : clock.now() - downSince),
    generation: () => (isUp && !current?.isOver() ? current?.generation : undefined),
    hasToldAll: () => current?.hasToldAll() === true,

    run(request, limitMs = CALL_LIMIT, transfer) {
      if (current === undefined || !isUp || isClosed) return Promise.reject(new Failure('engine_unavailable'))
      return current.run(request, limitMs, transfer)
    },

    async refreshReport(limitMs) {
      if (current === undefined || !isUp || isClosed) return
      // The watchdog handles a ping that fails or stays unanswered.
      await orLate(watch.ping(current), limitMs, () => {}).catch(() => {})
    },

    async close(deadlineMs) {
      if (isClosed) return
      isClosed = true
      clearTimeout(respawn)
      watch.stop()
      const last = current
      if (last === undefined) return begun.reject(new Failure('engine_unavailable'))
      if (isUp) {
        await last.run({ type: 'close', deadlineMs }, deadlineMs + CLOSE_GRACE).catch((error) => {
          log.warn({ shard, err: error }, 'the shard did not close its sessions in time; terminating its thread')
        })
      }
      await last.end()
    },
  }
}
