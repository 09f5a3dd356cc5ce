/**
 * Supervises one shard thread: starts it, starts it again with a longer delay after each end, and ends a thread that
 * stopped answering.
 */

import { type Clock, HOUR, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { isPassing } from '../domain/passing-error.ts'
import { orLate } from '../lib/deadline.ts'
import { type Deferred, deferred } from '../lib/deferred.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { EngineEvent, ShardNeed, ShardSetup } from './engine.ts'
import { firstAnswer } from './first-answer.ts'
import type { ShardRequest } from './protocol.ts'
import { createShardWatch } from './shard-watch.ts'
import { startThreadRun, type ThreadRun, type ThreadRunOptions } from './thread-run.ts'
import type { WarmThread } from './warm-thread.ts'

const FIRST_DELAY = 250
const LAST_DELAY = 30 * SECOND
/**
 * Milliseconds after which a running thread counts as stable. The delay after its next crash is then the shortest one
 * again.
 */
const STABLE = MINUTE
/**
 * Time limit in ms of a start. It takes 0.2 to 1 s, but minutes on a busy machine, where ending the thread would make
 * the next start even slower. Each replacement of a thread that hangs doubles the limit, up to one hour.
 */
const START_LIMIT = 5 * MINUTE
const LAST_START_LIMIT = HOUR
const SAY_EVERY = 10 * SECOND
/**
 * Time limit in ms of a call. A thread without an answer in this time counts as unavailable. The longest deadline of an
 * operation is 45 s.
 */
const CALL_LIMIT = MINUTE
/** Milliseconds after the deadline of a stop in which the thread must close the storage and answer. */
const CLOSE_GRACE = 500

/** Delay in ms before a thread is started again: 250, doubled with every thread that ended early, at most 30 s. */
export const respawnDelay = (earlyEnds: number) => Math.min(LAST_DELAY, FIRST_DELAY * 2 ** Math.min(earlyEnds, 16))

export interface ShardOptions extends Pick<ThreadRunOptions, 'worker' | 'heapMb'> {
  setup: ShardSetup
  allowCrash: boolean
  /** A thread that was started earlier. The shard uses it for its first run, if it has not ended. */
  warm?: WarmThread | undefined
  log: Log
  clock: Clock
  watchEveryMs?: number | undefined
  startLimitMs?: number | undefined
  sayEveryMs?: number | undefined
  onEvent(event: EngineEvent | ShardNeed): void
  /** Called when a new thread answers; it runs no instances yet. */
  onUp(generation: number): void
  onReport(generation: number, report: ShardReport): void
}

export interface Shard {
  readonly index: number
  /**
   * Resolves when a thread answers for the first time. Rejects if a thread ended before with an error that a retry
   * cannot fix.
   */
  readonly begun: Promise<void>
  startingFor(): number | undefined
  generation(): number | undefined
  /** Resolves when a thread runs. Rejects with `engine_unavailable` if the shard is closed before. */
  running(): Promise<void>
  /** Whether `onEvent` has received every state that the thread announced. */
  hasToldAll(): boolean
  /**
   * If no thread is up, ends the one that is starting, does the work while none runs, and starts the next one. Resolves
   * with false, without the work, if one is up, or if the shard is closed.
   */
  betweenRuns(work: () => Promise<void>): Promise<boolean>
  run(request: ShardRequest, limitMs?: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Resolves when the thread has sent a report, when it cannot send one, or after `limitMs`. */
  refreshReport(limitMs: number): Promise<void>
  close(deadlineMs: number): Promise<void>
}

/** Prevents an unhandled rejection, because nobody may be waiting for the promise when it is rejected. */
function quietly<T>(made: Deferred<T>): Deferred<T> {
  made.promise.catch(() => {})
  return made
}

export function createShardSupervisor(options: ShardOptions): Shard {
  const { log, clock, onEvent, onUp, onReport, watchEveryMs, worker, heapMb, setup, allowCrash } = options
  const { startLimitMs = START_LIMIT, sayEveryMs = SAY_EVERY } = options
  const { shard, logging } = setup
  let generation = 0
  let current: ThreadRun | undefined
  let isUp = false
  let upSince = 0
  let earlyEnds = 0
  let lateStarts = 0
  let downSince = clock.now()
  let hasBegun = false
  let isClosed = false
  const begun = deferred()
  let nextUp = quietly(deferred())
  let respawn: NodeJS.Timeout | undefined
  /** Resolves when the last thread has ended. */
  let lastEnd: Promise<void> = Promise.resolve()
  let isHeld = false
  const watch = createShardWatch({ shard, log, everyMs: watchEveryMs, onReport })

  async function live(): Promise<void> {
    let refusal: unknown
    const end = deferred()
    lastEnd = end.promise
    const handlers = {
      onEvent,
      onEnd(cause: unknown) {
        ended(started, refusal ?? cause)
        end.resolve()
      },
    }
    generation++
    const warm = generation === 1 ? options.warm?.take(handlers) : undefined
    const started: ThreadRun =
      warm ?? startThreadRun({ worker, heapMb, data: { shard, logging, allowCrash }, generation, ...handlers })
    current = started
    try {
      await firstAnswer(started, {
        setup,
        limitMs: Math.min(LAST_START_LIMIT, startLimitMs * 2 ** lateStarts),
        sayEveryMs,
        clock,
        log,
        onLate: () => void lateStarts++,
      })
    } catch (error) {
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
    nextUp.resolve()
    nextUp = quietly(deferred())
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
    if (isHeld) return
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
    running: () => (isUp && !current?.isOver() && !isClosed ? Promise.resolve() : nextUp.promise),
    hasToldAll: () => current?.hasToldAll() === true,

    async betweenRuns(work) {
      if (isUp || isClosed || isHeld || !hasBegun) return false
      isHeld = true
      clearTimeout(respawn)
      log.warn({ shard }, 'an instance leaves a shard that is starting, so its thread is ended, and a new one starts')
      try {
        await current?.end()
        await lastEnd
        await work()
      } finally {
        isHeld = false
        if (!isClosed) startNext()
      }
      return true
    },

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
      nextUp.reject(new Failure('engine_unavailable'))
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
