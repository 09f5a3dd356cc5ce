/**
 * One run of a shard thread. When the thread goes, its calls fail at once and the run is over; the supervisor (`shard-supervisor.ts`) begins
 * another one, with the next generation number.
 */
import { Worker } from 'node:worker_threads'
import { Failure } from '../domain/failures.ts'
import type { EngineEvent, Result, ShardNeed } from './engine.ts'
import type { ShardRequest, ThreadData, ThreadSetup } from './protocol.ts'
import { memoryLimits, threadFlags } from './thread.ts'
import { type Announced, type FromThread, sendInLists, type ToThread } from './thread-messages.ts'

/**
 * Calls that wait for one thread at a time; beyond that the answer is 503. Everything else is taken: a ping that is refused looks like a thread
 * that hangs, and for a medium that was made ready its message would wait for ever.
 */
const CALLS_IN_FLIGHT = 4_000

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
  data: ThreadSetup
  heapMb: number
  onEvent(event: EngineEvent | ShardNeed): void
  /** Called once, whatever ended the run; the cause is undefined when the thread ended without an error. */
  onEnd(cause: unknown): void
}

export interface ThreadRun {
  readonly generation: number
  /** True from the moment the thread is gone, before `onEnd` is called. */
  isOver(): boolean
  /** Every state that the thread has announced up to now has come to `onEvent`. */
  hasToldAll(): boolean
  /** Rejects with `Failure` only: what the shard answered, or `engine_unavailable`. */
  run(request: ShardRequest, limitMs: number, transfer?: ArrayBuffer[]): Promise<unknown>
  /** Ends the thread as it is. Resolves when it is gone. */
  end(): Promise<void>
}

export function startThreadRun({ generation, worker, data, heapMb, onEvent, onEnd }: ThreadRunOptions): ThreadRun {
  const announced: Announced = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const flags = threadFlags(worker)
  const thread = new Worker(worker, {
    ...(flags === undefined ? {} : { execArgv: flags }),
    workerData: { ...data, announced } satisfies ThreadData,
    // A heap that runs full then ends this thread and not the process.
    resourceLimits: memoryLimits(heapMb, YOUNG_MB),
  })
  const inFlight = new Map<number, { answered(result: Result): void; fail(failure: Failure): void }>()
  const out = sendInLists<ToThread>(thread, ({ id }, cause) => inFlight.get(id)?.fail(new Failure('internal', { cause })))
  let calls = 0
  let told = 0
  let isOver = false
  let cause: unknown

  thread.on('message', (messages: readonly FromThread[]) => {
    for (const message of messages) {
      if ('id' in message) {
        inFlight.get(message.id)?.answered(message.result)
        continue
      }
      if (message.said.type === 'state') told++
      onEvent(message.said)
    }
  })
  // Without a listener it would end the whole process.
  thread.on('error', (error) => {
    cause ??= error
  })
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      isOver = true
      for (const { fail } of [...inFlight.values()]) fail(new Failure('engine_unavailable', { cause }))
      onEnd(cause)
      resolve()
    })
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
        // The shard has its own, shorter deadlines; this one means that the thread does not answer at all.
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
      await thread.terminate()
      await ended
    },
  }
}
