/** Tasks of callers who wait for the result. They are done before the queue, one at a time. */
import { Failure } from '../../../../src/domain/failures.ts'

export interface FrontTasks {
  add<T>(work: () => Promise<T>): Promise<T>
  /** Runs the first task. Returns or resolves with false if there is none. */
  next(run: Run): boolean | Promise<boolean>
  refuseAll(): void
}

type Run = (work: () => Promise<void>) => Promise<void>

interface Task {
  work(): Promise<void>
  refuse(): void
}

const refused = () => new Failure('engine_unavailable')

export function createFrontTasks(): FrontTasks {
  const tasks: Task[] = []

  async function carryOut(task: Task, run: Run): Promise<boolean> {
    try {
      await run(task.work)
    } catch (error) {
      // The outbox was stopped while outcomes were waiting for the disk, so the task is refused.
      task.refuse()
      throw error
    }
    return true
  }

  return {
    add: (work) =>
      new Promise((resolve, reject) => {
        tasks.push({ work: () => work().then(resolve, reject), refuse: () => reject(refused()) })
      }),
    next(run) {
      const task = tasks.shift()
      return task !== undefined && carryOut(task, run)
    },
    refuseAll() {
      for (const task of tasks.splice(0)) task.refuse()
    },
  }
}
