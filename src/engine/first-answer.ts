import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { orLate } from '../lib/deadline.ts'
import type { ShardSetup } from './engine.ts'
import type { ThreadRun } from './thread-run.ts'

/** Longest delay that a timer can have. The call itself has no time limit, because `limitMs` ends the wait. */
const NO_LIMIT = 2 ** 31 - 1

export interface FirstAnswerOptions {
  setup: ShardSetup
  limitMs: number
  sayEveryMs: number
  clock: Clock
  log: Log
  onLate(): void
}

/**
 * Resolves when the thread has answered for the first time. Rejects if it ended, refused to start, or did not answer in
 * time.
 */
export async function firstAnswer(run: ThreadRun, options: FirstAnswerOptions): Promise<void> {
  const { setup, limitMs, sayEveryMs, clock, log, onLate } = options
  const { shard } = setup
  const since = clock.now()
  const saying = setInterval(() => {
    const waited_ms = clock.now() - since
    log.warn({ shard, generation: run.generation, waited_ms }, 'the shard is still starting')
  }, sayEveryMs)
  try {
    await orLate(run.run({ type: 'hello', setup }, NO_LIMIT), limitMs, () => {
      onLate()
      throw new Failure('engine_unavailable', { message: `The thread did not answer within ${limitMs} ms.` })
    })
  } finally {
    clearInterval(saying)
  }
}
