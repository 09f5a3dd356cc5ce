/** How long others wait for an answer while something heavy goes on: asked at a steady rate by a process of its own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Below the refill of the bucket of each of two instances that are asked in turn. */
const EVERY_MS = 10

export interface Asking {
  /** How long each question took, in ms, while `work` went on; infinite when it was not answered. */
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
