/** Runs tasks while there is work, then waits until `wake` is called or a time has passed. */
import { SECOND } from '../../../../src/domain/clock.ts'
import type { Timer } from '../../../../src/storage/timer.ts'

/** Wait in ms after the first failure, for example because of the storage. */
const FIRST_BACKOFF = SECOND
const MOST_BACKOFF = 30 * SECOND

export interface WorkLoopOptions {
  timer: Timer
  /** Resolves with `more` if there is more work, otherwise with the ms until the next run. */
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
    // No timer is set if the loop was stopped during this run.
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
    /** Resolves when the running task has ended. No further task begins. */
    async stop(): Promise<void> {
      state = 'stopped'
      alarm?.cancel()
      await running
    },
  }
}
