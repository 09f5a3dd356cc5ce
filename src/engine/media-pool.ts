/**
 * Threads that parse large bodies: 60 MB would block the main thread for 112 ms. The pieces of a body are sent while
 * they arrive, no faster than the thread parses them, so a thread need not hold the whole text of a body.
 */
import { MessageChannel } from 'node:worker_threads'
import type { Dialect } from '../domain/dialect.ts'
import { Failure } from '../domain/failures.ts'
import { BATCHES_AHEAD, type BodyHeld, type ComingBody } from '../domain/large-body.ts'
import type { Log, Logging } from '../domain/log.ts'
import type { ReadLargeMessage } from '../domain/tool-message.ts'
import type { Result } from './engine.ts'
import { createMediaThreads } from './media-threads.ts'

const THREADS = 2
const AT_ONCE = 5_000
const WAITING = 10_000
/** Heap limit in MB. Decoded files are not in the heap. */
const HEAP_MB = 256

type Read = Result & { unknown: string[] }

export interface MediaPool {
  /** Parses and validates a large body. Rejects with `Failure`, or with the reason why the body ended early. */
  readLargeBody(
    route: string,
    fields: { path: Record<string, unknown>; query?: Record<string, unknown>; dialect?: Dialect | undefined },
    body: ComingBody,
    onUnknown?: (names: string[]) => void,
  ): Promise<{ operation: string; input: unknown }>
  readLargeMessage(body: ComingBody): Promise<ReadLargeMessage>
  close(): Promise<void>
}

const unreadable = (cause?: unknown) =>
  new Failure('engine_unavailable', { message: 'The request body cannot be read at the moment; try again later.', cause })

export function createMediaPool({ logging, log }: { logging: Logging; log: Log }): MediaPool {
  const pool = createMediaThreads<unknown, unknown>({
    name: 'main',
    data: { logging },
    threads: THREADS,
    atOnce: AT_ONCE,
    waiting: WAITING,
    heapMb: HEAP_MB,
    log,
  })

  /**
   * Sends a body to a thread, and returns the answer of the thread. If the answer comes before the end of the body, the
   * rest is not sent.
   */
  async function read<T>(name: string, task: object, { batches, held }: ComingBody): Promise<T> {
    const { port1: port, port2 } = new MessageChannel()
    let room = BATCHES_AHEAD
    let isAnswered = false
    let wake = () => {}
    port.on('message', (bytes: BodyHeld) => {
      room++
      held(bytes)
      wake()
    })
    const answer = pool.run({ ...task, port: port2 }, { name, transferList: [port2] }).finally(() => {
      isAnswered = true
      wake()
    })
    // The answer is awaited below. Until then this handler prevents an unhandled rejection.
    answer.catch(() => {})
    try {
      for await (const batch of batches) {
        while (room === 0 && !isAnswered)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        if (isAnswered) break
        room--
        port.postMessage(
          batch,
          batch.map(({ buffer }) => buffer),
        )
      }
      port.postMessage('end')
      const made = await answer.catch((cause: unknown) => {
        throw unreadable(cause)
      })
      if (made === undefined) throw unreadable()
      return made as T
    } finally {
      port.close()
    }
  }

  return {
    async readLargeBody(route, fields, body, onUnknown = () => {}) {
      const result = await read<Read>('readBody', { route, ...fields }, body)
      onUnknown(result.unknown)
      if ('err' in result) throw Failure.from(result.err)
      return result.ok as { operation: string; input: unknown }
    },

    readLargeMessage: (body) => read<ReadLargeMessage>('readToolMessage', {}, body),

    close: () => pool.destroy(),
  }
}
