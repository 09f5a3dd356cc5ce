/** Tasks of callers who wait for the result. They are done before the queue, one at a time, each between two delivery attempts. */
import { Failure } from '../../../../src/domain/failures.ts'

export interface FrontTasks {
  /** Adds a task; resolves with its result. */
  add<T>(work: () => Promise<T>): Promise<T>
  /** Runs the oldest task with `run`. Resolves with false if there is none. */
  next(run: (work: () => Promise<void>) => Promise<void>): Promise<boolean>
  /** Refuses all tasks, because the outbox has stopped. */
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
        // The outbox was stopped while outcomes were waiting for the disk. The caller still waits for the task, so it is refused.
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
