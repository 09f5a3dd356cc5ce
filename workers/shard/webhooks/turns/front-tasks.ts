/** Tasks of callers who wait for the result. They are done before the queue, one at a time. */
import { Failure } from '../../../../src/domain/failures.ts'

export interface FrontTasks {
  add<T>(work: () => Promise<T>): Promise<T>
  next(run: (work: () => Promise<void>) => Promise<void>): Promise<boolean>
  refuseAll(): void
}

const refused = () => new Failure('engine_unavailable')

export function createFrontTasks(): FrontTasks {
  const tasks: { work(): Promise<void>; refuse(): void }[] = []

  return {
    add: (work) =>
      new Promise((resolve, reject) => {
        tasks.push({ work: () => work().then(resolve, reject), refuse: () => reject(refused()) })
      }),
    async next(run) {
      const task = tasks.shift()
      if (task === undefined) return false
      try {
        await run(task.work)
      } catch (error) {
        // The outbox was stopped while outcomes were waiting for the disk, so the task is refused.
        task.refuse()
        throw error
      }
      return true
    },
    refuseAll() {
      for (const task of tasks.splice(0)) task.refuse()
    },
  }
}
