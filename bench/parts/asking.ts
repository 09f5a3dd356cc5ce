/** Measures the latency of requests of other callers while heavy work runs. A separate process sends the requests at a steady rate. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * Time in ms between two requests. The requests go to two instances in turn, whose token buckets are refilled faster
 * than this, so no request is refused.
 */
const EVERY_MS = 10

export interface Asking {
  /**
   * Returns the latency in ms of each request that was sent while `work` ran. The latency is infinite if a request was
   * not answered.
   */
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
