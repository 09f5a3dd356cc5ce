/**
 * The supervisor of one shard: keeps a life going, begins the next one after a back-off, and ends one that stopped answering.
 * What runs inside a life is the pool's matter: it is told when a life is ready and boots the shard's instances into it.
 */

import { type Clock, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { orLate } from '../lib/deadline.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { EngineEvent, ShardNeed } from './engine.ts'
import type { ShardRequest } from './protocol.ts'
import { beginLife, type Life, type LifeOptions } from './thread-run.ts'

const FIRST_DELAY = 250
const LAST_DELAY = 30 * SECOND
/** A life this long was a good one: the next crash starts again with the first delay. */
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

/** 250 ms, doubled with every life that ended early, 30 s at most. */
export const respawnDelay = (earlyEnds: number) => Math.min(LAST_DELAY, FIRST_DELAY * 2 ** Math.min(earlyEnds, 16))

export interface ShardOptions extends Pick<LifeOptions, 'worker' | 'task' | 'data' | 'heapMb'> {
  log: Log
  clock: Clock
  watchEveryMs?: number | undefined
  onEvent(event: EngineEvent | ShardNeed): void
  /** A new life answers, with nothing in it yet. */
  onUp(generation: number): void
  /** What it answers a ping with. */
  onReport(generation: number, report: ShardReport): void
}

export interface Shard {
  readonly index: number
  /** Resolves when the first life answers; rejects when it never did. */
  readonly begun: Promise<void>
  /** Number of the life that answers now; undefined while there is none. */
  generation(): number | undefined
  run(request: ShardRequest, limitMs?: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Resolves when it has reported, when it cannot, and after `limitMs`. */
  refreshReport(limitMs: number): Promise<void>
  close(deadlineMs: number): Promise<void>
}

export function createShard({ log, clock, watchEveryMs = WATCH_EVERY, onEvent, onUp, onReport, ...thread }: ShardOptions): Shard {
  const { shard } = thread.data
  let generation = 0
  let life: Life | undefined
  let isUp = false
  let upSince = 0
  let earlyEnds = 0
  let isClosed = false
  let respawn: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined

  async function live(): Promise<void> {
    const mine = beginLife({ ...thread, generation: ++generation, onEvent, onEnd: (cause) => ended(mine, cause) })
    life = mine
    try {
      await mine.run({ type: 'hello' }, HELLO_LIMIT)
    } catch (error) {
      // A thread that is alive and refuses or hangs is ended here; one that died has been reported by now.
      await mine.end()
      throw error
    }
    if (life !== mine) return
    isUp = true
    upSince = clock.now()
    keepWatch(mine)
    log.info({ shard, generation: mine.generation }, 'shard is up')
    onUp(mine.generation)
  }

  function ended(which: Life, cause: unknown) {
    if (life !== which) return
    const wasUp = isUp
    life = undefined
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

  /** One at a time: asked again and again, a thread that hangs would have a heap of questions before it. */
  let asking: { of: Life; answered: Promise<void> } | undefined

  function ping(mine: Life): Promise<void> {
    if (asking?.of === mine) return asking.answered
    const answered = mine.run({ type: 'ping' }, watchEveryMs * (WATCH_ROUNDS + 2)).then((report) => {
      if (life === mine) onReport(mine.generation, report as ShardReport)
    })
    const question = { of: mine, answered }
    asking = question
    const done = () => {
      if (asking === question) asking = undefined
    }
    answered.then(done, done)
    return answered
  }

  function keepWatch(mine: Life) {
    let unanswered = 0
    const round = () => {
      if (life !== mine) return
      if (unanswered >= WATCH_ROUNDS) {
        log.error({ shard, generation: mine.generation }, 'shard does not answer; its thread is ended')
        mine.end().catch((error) => log.error({ shard, err: error }, 'shard thread did not end'))
        return
      }
      if (unanswered++ === 0) {
        ping(mine).then(
          () => {
            unanswered = 0
          },
          (error) => {
            if (!mine.isOver()) log.warn({ shard, err: error }, 'shard did not answer a ping')
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
    generation: () => (isUp && !life?.isOver() ? life?.generation : undefined),

    run(request, limitMs = CALL_LIMIT, transfer) {
      if (life === undefined || !isUp || isClosed) return Promise.reject(new Failure('engine_unavailable'))
      return life.run(request, limitMs, transfer)
    },

    async refreshReport(limitMs) {
      if (life === undefined || !isUp || isClosed) return
      // One that fails or stays out is the watch's matter.
      await orLate(ping(life), limitMs, () => {}).catch(() => {})
    },

    async close(deadlineMs) {
      if (isClosed) return
      isClosed = true
      clearTimeout(respawn)
      clearTimeout(watch)
      const last = life
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
