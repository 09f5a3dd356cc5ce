/** Runs turns while there is something to do, then waits for `wake`, or for the time that the last turn has named. */
import { SECOND } from '../../../../src/domain/clock.ts'
import type { Timer } from '../../../../src/storage/timer.ts'

/** First wait after a turn that failed, for example because of storage. */
const FIRST_BACKOFF = SECOND
const MOST_BACKOFF = 30 * SECOND

export interface WorkLoopOptions {
  timer: Timer
  /** Runs one turn. Resolves with the ms until the next turn if there is nothing to do before, and otherwise with `more`. */
  turn(): Promise<'more' | number>
  onError(error: unknown, retryMs: number): void
}

export function createWorkLoop({ timer, turn, onError }: WorkLoopOptions) {
  let state: 'new' | 'running' | 'stopped' = 'new'
  let running: Promise<void> | undefined
  let again = false
  let alarm: { cancel(): void } | undefined
  let backoff: number = FIRST_BACKOFF

  function wakeIn(ms: number) {
    alarm?.cancel()
    // No alarm is set if the loop was stopped during this turn.
    if (state === 'running') alarm = timer(ms, wake)
  }

  function wake(): void {
    if (state !== 'running') return
    alarm?.cancel()
    alarm = undefined
    again = true
    running ??= run().finally(() => {
      running = undefined
      if (again) wake()
    })
  }

  async function run() {
    while (again && state === 'running') {
      again = false
      try {
        await turns()
      } catch (error) {
        if (state !== 'running') return
        // The turn failed without a decision, so it can be repeated later without a loss.
        onError(error, backoff)
        wakeIn(backoff)
        backoff = Math.min(backoff * 2, MOST_BACKOFF)
      }
    }
  }

  async function turns() {
    while (state === 'running') {
      const wait = await turn()
      if (wait === 'more') backoff = FIRST_BACKOFF
      else return again ? undefined : wakeIn(wait)
    }
  }

  return {
    isRunning: () => state === 'running',
    start() {
      state = 'running'
      wake()
    },
    wake,
    /** Stops the loop. Resolves when the running turn has ended; no further turn begins. */
    async stop(): Promise<void> {
      state = 'stopped'
      alarm?.cancel()
      await running
    },
  }
}
