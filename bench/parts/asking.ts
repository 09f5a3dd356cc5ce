/** The latency for others while heavy work runs, measured at a steady rate by a separate process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * Interval of the requests in ms. Their rate is below the refill rate of the token buckets of the two instances that
 * are requested in turn.
 */
const EVERY_MS = 10

export interface Asking {
  /** Returns the latency of each request, in ms, while `work` ran; infinite if a request was not answered. */
  during(work: () => Promise<unknown>): Promise<number[]>
  end(): void
}

export function startAsking(urls: readonly string[]): Asking {
  const asker = fork(fileURLToPath(new URL('./asker.ts', import.meta.url)), [String(EVERY_MS), ...urls], {
    serialization: 'advanced',
    execArgv: ['--import', 'tsx'],
  })
  async function timesSoFar(): Promise<number[]> {
    asker.send('times')
    const [times] = (await once(asker, 'message')) as [number[]]
    return times
  }
  return {
    async during(work) {
      await timesSoFar()
      await work()
      return timesSoFar()
    },
    end: () => asker.disconnect(),
  }
}
