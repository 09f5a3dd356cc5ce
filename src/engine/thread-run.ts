/**
 * One run of a shard thread: a Piscina pool with exactly one thread, whose single task lasts as long as the thread. Calls are not tasks of their own,
 * because each task would cost a message. They are sent in lists through a channel that the task gets (`thread-messages.ts`). When the thread ends,
 * its calls fail immediately and the run is over; the supervisor (`shard-supervisor.ts`) starts another run with the next generation number.
 */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { EngineEvent, Result, ShardNeed } from './engine.ts'
import type { ShardRequest, ThreadData, ThreadTask } from './protocol.ts'
import { memoryLimits, threadFlags } from './thread.ts'
import { type Announced, type FromThread, sendInLists, type ToThread } from './thread-messages.ts'

/**
 * Number of calls that may wait for one thread; further calls are answered with 503. Messages that are not calls have no limit: if a ping were
 * refused, the thread would seem to hang, and if a `prepared` command were refused, a queued message would wait forever for its media.
 */
const CALLS_IN_FLIGHT = 4_000

/**
 * Size of the young generation in MB. By default it grows to 48 MB while the modules load, and no collection shrinks it again. A smaller value costs
 * processor time: a small generation is collected while a message is still being processed, so the objects of the message are copied and kept until
 * the next major collection (bench/README.md, the list of changes).
 */
const YOUNG_MB = 24

export interface ThreadRunOptions {
  generation: number
  /** Main module of the thread; it exports the task `live`. */
  worker: URL
  data: ThreadData
  heapMb: number
  onEvent(event: EngineEvent | ShardNeed): void
  /** Called once with the cause of the end. */
  onEnd(cause: unknown): void
}

export interface ThreadRun {
  readonly generation: number
  /** True as soon as the thread is gone, before `onEnd` is called. */
  isOver(): boolean
  /** Whether `onEvent` has received every state that the thread has announced. */
  hasToldAll(): boolean
  /** Runs a request. Rejects only with `Failure`: the answer of the shard, or `engine_unavailable`. */
  run(request: ShardRequest, limitMs: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Terminates the thread. Resolves when it is gone. */
  end(): Promise<void>
}

export function startThreadRun({ generation, worker, data, heapMb, onEvent, onEnd }: ThreadRunOptions): ThreadRun {
  const announced: Announced = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const { port1: port, port2: portOfThread } = new MessageChannel()
  const flags = threadFlags(worker)
  const pool = new Piscina<ThreadTask, void>({
    filename: worker.href,
    name: 'live',
    ...(flags === undefined ? {} : { execArgv: flags }),
    workerData: data,
    // `minThreads` is 0 and not 1, because with 1 Piscina would immediately replace a dead thread, with empty state and without back-off.
    minThreads: 0,
    maxThreads: 1,
    // `atomics` is off, because by default a thread blocks on shared memory between two tasks, which stops its timers and sockets.
    atomics: 'disabled',
    recordTiming: false,
    // With these limits, a full heap ends this thread and not the process.
    resourceLimits: memoryLimits(heapMb, YOUNG_MB),
  })
  const inFlight = new Map<number, { answered(result: Result): void; fail(failure: Failure): void }>()
  const out = sendInLists<ToThread>(port, ({ id }, cause) => inFlight.get(id)?.fail(new Failure('internal', { cause })))
  let calls = 0
  let told = 0
  let isOver = false
  let cause: unknown

  function take(messages: readonly FromThread[]) {
    for (const message of messages) {
      if ('id' in message) {
        inFlight.get(message.id)?.answered(message.result)
        continue
      }
      if (message.said.type === 'state') told++
      onEvent(message.said)
    }
  }

  function over() {
    if (isOver) return
    // Drain the messages that the thread posted before it exited.
    for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port)) take(last.message)
    isOver = true
    port.close()
    // Piscina reports the error that ended the thread right after this event.
    setImmediate(() => {
      for (const { fail } of [...inFlight.values()]) fail(new Failure('engine_unavailable', { cause }))
      pool.destroy().then(() => onEnd(cause), onEnd)
    })
  }

  port.on('message', take)
  // Without a listener the error would end the whole process.
  pool.on('error', (error) => {
    cause ??= error
  })
  pool.on('workerDestroy', over)
  // The task ends only when the thread ends, and always with an error. It also fails if the system could not create a thread.
  const task = async () => pool.run({ port: portOfThread, announced }, { transferList: [portOfThread] })
  task().catch((error: unknown) => {
    cause ??= error
    over()
  })

  return {
    generation,
    isOver: () => isOver,
    hasToldAll: () => !isOver && Atomics.load(announced, 0) === told,

    run(request, limitMs, transfer = []) {
      const isFull = request.type === 'call' && inFlight.size >= CALLS_IN_FLIGHT
      if (isOver || isFull) return Promise.reject(new Failure('engine_unavailable'))
      return new Promise((resolve, reject) => {
        const id = calls++
        const settle = () => {
          clearTimeout(timer)
          inFlight.delete(id)
        }
        const fail = (failure: Failure) => {
          settle()
          reject(failure)
        }
        // The shard has its own, shorter deadlines. When this timer ends, the thread does not answer at all.
        const timer = setTimeout(() => fail(new Failure('engine_unavailable')), limitMs)
        const answered = (result: Result) => {
          settle()
          if ('ok' in result) resolve(result.ok)
          else reject(Failure.from(result.err))
        }
        inFlight.set(id, { answered, fail })
        out.send({ id, command: { ...request, generation } }, transfer)
      })
    },

    async end() {
      // Piscina waits for the exit of a thread that no longer keeps the event loop alive. Without this timer the process could end before the thread
      // does.
      const hold = setInterval(() => {}, SECOND)
      try {
        await pool.destroy()
      } finally {
        clearInterval(hold)
      }
    },
  }
}
