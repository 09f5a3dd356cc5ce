/**
 * One run of a shard thread: a Piscina pool with one thread, whose single task lasts as long as the thread. Calls are
 * sent in lists over a port, because a separate task for each call would cost one message per call.
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
 * Number of unanswered requests from which on a thread gets no further call. Other requests have no limit: a refused
 * ping would make the thread seem to hang.
 */
const CALLS_IN_FLIGHT = 4_000

/**
 * Size of V8's young generation in MB. By default it grows to 48 MB at the start and stays there. A smaller value costs
 * processor time, because objects of a message in progress are copied and kept (bench/README.md).
 */
const YOUNG_MB = 24

export interface ThreadRunOptions {
  generation: number
  worker: URL
  data: ThreadData
  heapMb: number
  onEvent(event: EngineEvent | ShardNeed): void
  onEnd(cause: unknown): void
}

export interface ThreadRun {
  readonly generation: number
  isOver(): boolean
  hasToldAll(): boolean
  /**
   * Sends a request to the thread. Rejects only with `Failure`: the answer of the thread, `engine_unavailable`, or
   * `internal` for a request that is not plain data.
   */
  run(request: ShardRequest, limitMs: number, transfer?: ArrayBuffer[]): Promise<unknown>
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
    // With `minThreads: 1`, Piscina would immediately replace a dead thread, with empty state and without a delay.
    minThreads: 0,
    maxThreads: 1,
    // A thread would otherwise block on shared memory between two tasks, which stops its timers and sockets.
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
    // The messages that the thread posted before it ended are read too.
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
  // The error of a thread would end the whole process if nothing listened to it.
  pool.on('error', (error) => {
    cause ??= error
  })
  pool.on('workerDestroy', over)
  // The task ends only with the thread, and always with an error. It also fails if the system could not create a
  // thread.
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
        // The thread has its own, shorter deadlines. If this timer ends, the thread does not answer at all.
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
      // Keeps the process alive until the thread has ended, because Piscina waits for its exit.
      const hold = setInterval(() => {}, SECOND)
      try {
        await pool.destroy()
      } finally {
        clearInterval(hold)
      }
    },
  }
}
