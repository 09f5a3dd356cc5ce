/** Waits for the first answer of a thread run. The time until this answer is the duration of the start. */
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { orLate } from '../lib/deadline.ts'
import type { ThreadRun } from './thread-run.ts'

/** Longest delay of a timer. The limit of a start bounds the wait for the first answer. */
const NO_LIMIT = 2 ** 31 - 1

export interface FirstAnswerOptions {
  limitMs: number
  /** Interval in ms at which a start that is not finished yet is logged. */
  sayEveryMs: number
  clock: Clock
  log: Log
  onLate(): void
}

/** Resolves with the first answer of the run. Rejects if the run ended, refused to start, or did not answer in time. */
export async function firstAnswer(run: ThreadRun, shard: number, options: FirstAnswerOptions): Promise<void> {
  const { limitMs, sayEveryMs, clock, log, onLate } = options
  const since = clock.now()
  const saying = setInterval(() => {
    const waited_ms = clock.now() - since
    log.warn({ shard, generation: run.generation, waited_ms }, 'the shard is still starting')
  }, sayEveryMs)
  try {
    await orLate(run.run({ type: 'hello' }, NO_LIMIT), limitMs, () => {
      onLate()
      throw new Failure('engine_unavailable', { message: `The thread did not answer within ${limitMs} ms.` })
    })
  } finally {
    clearInterval(saying)
  }
}
