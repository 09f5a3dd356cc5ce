import { SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { ThreadRun } from './thread-run.ts'

const WATCH_EVERY = 10 * SECOND
/**
 * Number of intervals without an answer to a ping after which a thread counts as hung. Intervals are counted instead of
 * time, because a machine may be suspended.
 */
const WATCH_ROUNDS = 3

export interface ShardWatchDeps {
  shard: number
  log: Log
  everyMs: number | undefined
  onReport(generation: number, report: ShardReport): void
}

export function createShardWatch({ shard, log, everyMs = WATCH_EVERY, onReport }: ShardWatchDeps) {
  let watched: ThreadRun | undefined
  let timer: NodeJS.Timeout | undefined
  /** The ping that runs now. Only one runs at a time, so that pings do not pile up at a thread that hangs. */
  let asking: { of: ThreadRun; answered: Promise<void> } | undefined

  function ping(run: ThreadRun): Promise<void> {
    if (asking?.of === run) return asking.answered
    const answered = run.run({ type: 'ping' }, everyMs * (WATCH_ROUNDS + 2)).then((report) => {
      if (watched === run) onReport(run.generation, report as ShardReport)
    })
    const question = { of: run, answered }
    asking = question
    const done = () => {
      if (asking === question) asking = undefined
    }
    answered.then(done, done)
    return answered
  }

  return {
    ping,

    begin(run: ThreadRun): void {
      watched = run
      let unanswered = 0
      const round = () => {
        if (watched !== run) return
        if (unanswered >= WATCH_ROUNDS) {
          log.error({ shard, generation: run.generation }, 'the shard does not respond; terminating its thread')
          run.end().catch((error) => log.error({ shard, err: error }, 'the shard thread could not be terminated'))
          return
        }
        if (unanswered++ === 0) {
          ping(run).then(
            () => {
              unanswered = 0
            },
            (error) => {
              if (!run.isOver()) log.warn({ shard, err: error }, 'the shard did not answer a ping')
            },
          )
        }
        timer = setTimeout(round, everyMs)
        timer.unref()
      }
      round()
    },

    stop(): void {
      watched = undefined
      clearTimeout(timer)
    },
  }
}
