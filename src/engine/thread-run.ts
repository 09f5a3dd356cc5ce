/**
 * One run of a shard thread: a Piscina pool of exactly one thread that is never replaced within the pool. When the thread goes, its
 * calls fail at once and the run is over; the supervisor (`shard-supervisor.ts`) begins another one, with the next generation number.
 */
import { Piscina } from 'piscina'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { EngineEvent, Result, ShardNeed } from './engine.ts'
import type { ShardRequest, ThreadData } from './protocol.ts'
import { memoryLimits, threadFlags } from './thread.ts'

/** Calls one thread takes at a time, and as many again that wait; beyond that the answer is 503. A thread does 109k small ones a second. */
const CALLS_IN_FLIGHT = 2_000

/**
 * For what lives briefly. By default it grows to 48 MB while the modules load, and no collection makes it smaller again. What is too small here
 * is paid with processor time: a text is in work for longer than a small generation lasts, so its objects are copied, and kept until the next
 * large collection (bench/README.md, the list of changes).
 */
const YOUNG_MB = 24

export interface ThreadRunOptions {
  generation: number
  /** The thread's main module. */
  worker: URL
  /** Name of the task the module exports. */
  task: string
  data: ThreadData
  heapMb: number
  onEvent(event: EngineEvent | ShardNeed): void
  /** Called once, whatever ended the run; the cause is undefined when the thread ended without an error. */
  onEnd(cause: unknown): void
}

export interface ThreadRun {
  readonly generation: number
  /** True from the moment the thread is gone, before `onEnd` is called. */
  isOver(): boolean
  /** Rejects with `Failure` only: what the shard answered, or `engine_unavailable`. */
  run(request: ShardRequest, limitMs: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Ends the thread as it is. Resolves when it is gone. */
  end(): Promise<void>
}

export function startThreadRun({ generation, worker, task, data, heapMb, onEvent, onEnd }: ThreadRunOptions): ThreadRun {
  const flags = threadFlags(worker)
  const pool = new Piscina<unknown, Result>({
    filename: worker.href,
    name: task,
    ...(flags === undefined ? {} : { execArgv: flags }),
    workerData: data,
    // 0, not 1: Piscina would replace a dead thread at once, with empty state and without back-off.
    minThreads: 0,
    maxThreads: 1,
    // Any other value removes an idle thread, and its sockets with it.
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: CALLS_IN_FLIGHT,
    maxQueue: CALLS_IN_FLIGHT,
    // The default waits on shared memory between tasks, which stops the timers and sockets of an idle thread.
    atomics: 'disabled',
    recordTiming: false,
    // A heap that runs full then ends this thread and not the process.
    resourceLimits: memoryLimits(heapMb, YOUNG_MB),
  })
  const inFlight = new Set<(failure: Failure) => void>()
  let isOver = false
  let cause: unknown

  pool.on('message', (event: EngineEvent | ShardNeed) => {
    if (!isOver) onEvent(event)
  })
  // Without a listener an idle crash would end the whole process.
  pool.on('error', (error) => {
    cause ??= error
  })
  pool.on('workerDestroy', () => {
    isOver = true
    for (const fail of [...inFlight]) fail(new Failure('engine_unavailable'))
    // Piscina reports the cause right after this event, to a call in flight or to 'error'.
    setImmediate(() => {
      pool.destroy().then(() => onEnd(cause), onEnd)
    })
  })

  return {
    generation,
    isOver: () => isOver,

    run(request, limitMs, transfer = []) {
      if (isOver) return Promise.reject(new Failure('engine_unavailable'))
      return new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer)
          inFlight.delete(fail)
        }
        const fail = (failure: Failure) => {
          settle()
          reject(failure)
        }
        // The shard has its own, shorter deadlines; this one means that the thread does not answer at all.
        const timer = setTimeout(() => fail(new Failure('engine_unavailable')), limitMs)
        inFlight.add(fail)
        // Never an abort signal: aborting a task terminates the thread.
        pool.run({ ...request, generation }, { transferList: transfer }).then(
          (result) => {
            settle()
            if ('ok' in result) resolve(result.ok)
            else reject(Failure.from(result.err))
          },
          (error: unknown) => {
            if (isOver) cause ??= error
            const isFull = error instanceof Error && error.message === 'Task queue is at limit'
            fail(new Failure(isOver || isFull ? 'engine_unavailable' : 'internal', { cause: error }))
          },
        )
      })
    },

    async end() {
      // Piscina waits for the exit of a thread that no longer holds the event loop: without a timer the process could end first.
      const hold = setInterval(() => {}, SECOND)
      try {
        await pool.destroy()
      } finally {
        clearInterval(hold)
      }
    },
  }
}
