/**
 * The supervisor of one shard: it starts thread runs, the next one after a back-off, and ends one that stopped answering.
 * It does not know the instances: `onUp` reports that a run is ready, and the pool boots the shard's instances into it.
 */

import { type Clock, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { orLate } from '../lib/deadline.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { EngineEvent, ShardNeed } from './engine.ts'
import type { ShardRequest } from './protocol.ts'
import { startThreadRun, type ThreadRun, type ThreadRunOptions } from './thread-run.ts'

const FIRST_DELAY = 250
const LAST_DELAY = 30 * SECOND
/** A run this long was a good one: the next crash starts again with the first delay. */
const STABLE = MINUTE
/** Loading the library and opening storage take 0.2 to 1 s; on a busy machine more. */
const HELLO_LIMIT = 30 * SECOND
/** The longest deadline of an operation is 45 s (auth-and-limits.md); later than this the thread is not answering. */
const CALL_LIMIT = MINUTE
/** The shard itself stops waiting at the deadline; then it closes storage and answers. */
const CLOSE_GRACE = 500
const WATCH_EVERY = 10 * SECOND
/** Rounds without an answer after which a thread counts as hung. Rounds, not time: a suspended machine misses one at most. */
const WATCH_ROUNDS = 3

/** 250 ms, doubled with every run that ended early, 30 s at most. */
export const respawnDelay = (earlyEnds: number) => Math.min(LAST_DELAY, FIRST_DELAY * 2 ** Math.min(earlyEnds, 16))

export interface ShardOptions extends Pick<ThreadRunOptions, 'worker' | 'data' | 'heapMb'> {
  log: Log
  clock: Clock
  watchEveryMs?: number | undefined
  onEvent(event: EngineEvent | ShardNeed): void
  /** A new thread run answers and hosts nothing yet. */
  onUp(generation: number): void
  /** Receives its answer to a ping. */
  onReport(generation: number, report: ShardReport): void
}

export interface Shard {
  readonly index: number
  /** Resolves when the first run answers; rejects when it never did. */
  readonly begun: Promise<void>
  /** Generation of the run that answers now; undefined while there is none. */
  generation(): number | undefined
  /** Every state that this run has announced has come to `onEvent`. */
  hasToldAll(): boolean
  run(request: ShardRequest, limitMs?: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Resolves when it has reported, when it cannot, and after `limitMs`. */
  refreshReport(limitMs: number): Promise<void>
  close(deadlineMs: number): Promise<void>
}

export function createShard({ log, clock, watchEveryMs = WATCH_EVERY, onEvent, onUp, onReport, ...thread }: ShardOptions): Shard {
  const { shard } = thread.data
  let generation = 0
  let current: ThreadRun | undefined
  let isUp = false
  let upSince = 0
  let earlyEnds = 0
  let isClosed = false
  let respawn: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined

  async function live(): Promise<void> {
    const started = startThreadRun({ ...thread, generation: ++generation, onEvent, onEnd: (cause) => ended(started, cause) })
    current = started
    try {
      await started.run({ type: 'hello' }, HELLO_LIMIT)
    } catch (error) {
      // A thread that is alive and refuses or hangs is ended here; one that died has been reported by now.
      await started.end()
      throw error
    }
    if (current !== started) return
    isUp = true
    upSince = clock.now()
    keepWatch(started)
    log.info({ shard, generation: started.generation }, 'shard is up')
    onUp(started.generation)
  }

  function ended(which: ThreadRun, cause: unknown) {
    if (current !== which) return
    const wasUp = isUp
    current = undefined
    isUp = false
    clearTimeout(watch)
    if (isClosed) return
    if (which.generation === 1 && !wasUp) {
      log.error({ shard, err: cause }, 'shard ended before it answered')
      return
    }
    earlyEnds = wasUp && clock.now() - upSince >= STABLE ? 0 : earlyEnds
    const delayMs = respawnDelay(earlyEnds++)
    log.error({ shard, generation: which.generation, err: cause, delay_ms: delayMs }, 'shard ended; it will be started again')
    respawn = setTimeout(() => live().catch((error) => log.error({ shard, err: error }, 'shard did not start')), delayMs)
  }

  /** One ping at a time: otherwise pings would pile up before a thread that hangs. */
  let asking: { of: ThreadRun; answered: Promise<void> } | undefined

  function ping(started: ThreadRun): Promise<void> {
    if (asking?.of === started) return asking.answered
    const answered = started.run({ type: 'ping' }, watchEveryMs * (WATCH_ROUNDS + 2)).then((report) => {
      if (current === started) onReport(started.generation, report as ShardReport)
    })
    const question = { of: started, answered }
    asking = question
    const done = () => {
      if (asking === question) asking = undefined
    }
    answered.then(done, done)
    return answered
  }

  function keepWatch(started: ThreadRun) {
    let unanswered = 0
    const round = () => {
      if (current !== started) return
      if (unanswered >= WATCH_ROUNDS) {
        log.error({ shard, generation: started.generation }, 'shard does not answer; its thread is ended')
        started.end().catch((error) => log.error({ shard, err: error }, 'shard thread did not end'))
        return
      }
      if (unanswered++ === 0) {
        ping(started).then(
          () => {
            unanswered = 0
          },
          (error) => {
            if (!started.isOver()) log.warn({ shard, err: error }, 'shard did not answer a ping')
          },
        )
      }
      watch = setTimeout(round, watchEveryMs)
      watch.unref()
    }
    round()
  }

  const begun = live()

  return {
    index: shard,
    begun,
    generation: () => (isUp && !current?.isOver() ? current?.generation : undefined),
    hasToldAll: () => current?.hasToldAll() === true,

    run(request, limitMs = CALL_LIMIT, transfer) {
      if (current === undefined || !isUp || isClosed) return Promise.reject(new Failure('engine_unavailable'))
      return current.run(request, limitMs, transfer)
    },

    async refreshReport(limitMs) {
      if (current === undefined || !isUp || isClosed) return
      // The watch handles a ping that fails or stays unanswered.
      await orLate(ping(current), limitMs, () => {}).catch(() => {})
    },

    async close(deadlineMs) {
      if (isClosed) return
      isClosed = true
      clearTimeout(respawn)
      clearTimeout(watch)
      const last = current
      if (last === undefined) return
      if (isUp) {
        await last.run({ type: 'close', deadlineMs }, deadlineMs + CLOSE_GRACE).catch((error) => {
          log.warn({ shard, err: error }, 'shard did not close its sessions in time; its thread is ended')
        })
      }
      await last.end()
    },
  }
}
