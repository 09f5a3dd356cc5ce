/** The runs of one shard thread. When a run ends, the next one is started, until `finish` is called. */
import { type Clock, HOUR, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { isPassing } from '../domain/passing-error.ts'
import { type Deferred, deferred } from '../lib/deferred.ts'
import type { EngineEvent, ShardNeed, ShardSetup } from './engine.ts'
import { firstAnswer } from './first-answer.ts'
import { createRestartTimer } from './restart-timer.ts'
import type { createShardWatch } from './shard-watch.ts'
import { startThreadRun, type ThreadRun, type ThreadRunOptions } from './thread-run.ts'
import type { WarmThread } from './warm-thread.ts'

/**
 * Time limit in ms of a start. It takes 0.2 to 1 s, but minutes on a busy machine, where ending the thread would make
 * the next start even slower. So each thread that is ended for this reason doubles the limit, up to one hour.
 */
const START_LIMIT = 5 * MINUTE
const LAST_START_LIMIT = HOUR
const SAY_EVERY = 10 * SECOND

export interface ThreadLifeOptions extends Pick<ThreadRunOptions, 'worker' | 'heapMb'> {
  setup: ShardSetup
  allowCrash: boolean
  /** A thread that was started earlier. The shard uses it for its first run, if it has not ended. */
  warm?: WarmThread | undefined
  log: Log
  clock: Clock
  startLimitMs?: number | undefined
  sayEveryMs?: number | undefined
  onEvent(event: EngineEvent | ShardNeed): void
  /** Called when a new thread answers; it runs no instances yet. */
  onUp(generation: number): void
}

export interface ThreadLife {
  /**
   * Resolves when a thread answers for the first time. Rejects if a thread ended before with an error that a retry
   * cannot fix.
   */
  readonly begun: Promise<void>
  /**
   * Milliseconds since the last thread that was up ended, or since the first one was started. Undefined if a thread is
   * up, or after `finish`.
   */
  startingFor(): number | undefined
  /** Number of the current run. Undefined if no thread is up. */
  generation(): number | undefined
  /** Whether `onEvent` has received every state that the current thread announced. */
  hasToldAll(): boolean
  /** The current run if it takes requests: it is up, and `finish` was not called. */
  taking(): ThreadRun | undefined
  /** Resolves when a thread runs. Rejects with `engine_unavailable` after `finish`. */
  running(): Promise<void>
  /**
   * Ends a thread that is starting, does the work while no thread runs, and starts the next thread. Resolves with
   * false, without the work, if a thread is up, if none was ever up, during another such call, or after `finish`.
   */
  betweenRuns(work: () => Promise<void>): Promise<boolean>
  /** Prevents further starts. Returns the last run, which the caller must end; undefined if there is none. */
  finish(): { run: ThreadRun; isUp: boolean } | undefined
}

/** Prevents an unhandled rejection, which would occur if nobody waited for the promise when it is rejected. */
function quietly<T>(made: Deferred<T>): Deferred<T> {
  made.promise.catch(() => {})
  return made
}

type Watch = Pick<ReturnType<typeof createShardWatch>, 'begin' | 'stop'>

export function createThreadLife(options: ThreadLifeOptions, watch: Watch): ThreadLife {
  const { log, clock, onEvent, onUp, setup, startLimitMs = START_LIMIT, sayEveryMs = SAY_EVERY } = options
  const { shard } = setup
  let generation = 0
  let current: ThreadRun | undefined
  let isUp = false
  let upSince = 0
  let lateStarts = 0
  let downSince = clock.now()
  let hasBegun = false
  let isClosed = false
  const begun = quietly(deferred())
  let nextUp = quietly(deferred())
  /** Resolves when the last thread has ended. */
  let lastEnd: Promise<void> = Promise.resolve()
  let isHeld = false
  const startNext = () => void live().catch((error) => log.error({ shard, err: error }, 'the shard did not start'))
  const restart = createRestartTimer(startNext)

  async function live(): Promise<void> {
    let refusal: unknown
    const end = deferred()
    lastEnd = end.promise
    const started: ThreadRun = startRun(options, ++generation, {
      onEvent,
      onEnd(cause: unknown) {
        ended(started, refusal ?? cause)
        end.resolve()
      },
    })
    current = started
    try {
      const limitMs = Math.min(LAST_START_LIMIT, startLimitMs * 2 ** lateStarts)
      await firstAnswer(started, { setup, limitMs, sayEveryMs, clock, log, onLate: () => void lateStarts++ })
    } catch (error) {
      if (started.isOver()) return
      refusal = error
      await started.end()
      return
    }
    if (current === started) up(started)
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
    const upMs = isUp ? clock.now() - upSince : undefined
    current = undefined
    isUp = false
    if (upMs !== undefined) downSince = clock.now()
    watch.stop()
    if (isClosed) return begun.reject(cause)
    if (isHeld) return
    if (!hasBegun && !isPassing(cause)) {
      log.error({ shard, err: cause }, 'the shard ended before it was ready')
      return begun.reject(cause)
    }
    const delayMs = restart.schedule(upMs)
    log.error({ shard, generation: which.generation, err: cause, delay_ms: delayMs }, 'the shard ended; restarting it')
  }

  startNext()

  return {
    begun: begun.promise,
    startingFor: () => (isUp || isClosed ? undefined : clock.now() - downSince),
    generation: () => (isUp && !current?.isOver() ? current?.generation : undefined),
    hasToldAll: () => current?.hasToldAll() === true,
    taking: () => (isUp && !isClosed ? current : undefined),
    running: () => (isUp && !current?.isOver() && !isClosed ? Promise.resolve() : nextUp.promise),

    async betweenRuns(work) {
      if (isUp || isClosed || isHeld || !hasBegun) return false
      isHeld = true
      restart.cancel()
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

    finish() {
      if (isClosed) return undefined
      isClosed = true
      nextUp.reject(new Failure('engine_unavailable'))
      restart.cancel()
      watch.stop()
      if (current === undefined) begun.reject(new Failure('engine_unavailable'))
      return current && { run: current, isUp }
    },
  }
}

/** Starts a thread. The first run uses the thread that was started earlier, if there is one that has not ended. */
function startRun(
  { worker, heapMb, setup: { shard, logging }, allowCrash, warm }: ThreadLifeOptions,
  generation: number,
  handlers: Pick<ThreadRunOptions, 'onEvent' | 'onEnd'>,
): ThreadRun {
  const started = generation === 1 ? warm?.take(handlers) : undefined
  return started ?? startThreadRun({ worker, heapMb, data: { shard, logging, allowCrash }, generation, ...handlers })
}
