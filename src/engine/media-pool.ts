/**
 * Threads without state for work that would stall HTTP: a 60 MB body parsed on the main thread blocks it for 112 ms (design/STACK.md,
 * 1). They start when there is work and end when there is none.
 */
import { Failure } from '../domain/failures.ts'
import type { Log, Logging } from '../domain/log.ts'
import type { ReadLargeMessage } from '../domain/tool-message.ts'
import type { Result } from './engine.ts'
import { createMediaThreads } from './media-threads.ts'

/** Bodies at a time; each may hold several times its 64 MB while it is decoded. */
const THREADS = 2
const HEAP_MB = 512
/** More than can wait for a thread: what all large bodies may hold together is bounded where they are read (http/body-budget.ts). */
const WAITING = 10_000

type Read = Result & { unknown: string[] }

export interface MediaPool {
  /**
   * The operation that is meant and its validated input. The pieces, each alone in its buffer, are gone from this thread afterwards.
   * `onUnknown`: as `readRequest` has it.
   */
  readLargeBody(
    route: string,
    fields: { path: Record<string, unknown>; query?: Record<string, unknown> },
    pieces: Uint8Array<ArrayBuffer>[],
    onUnknown?: (names: string[]) => void,
  ): Promise<{ operation: string; input: unknown }>
  /** A large message to `/mcp`: the call of a tool, its arguments validated. The pieces go as above. */
  readLargeMessage(pieces: Uint8Array<ArrayBuffer>[]): Promise<ReadLargeMessage>
  close(): Promise<void>
}

export function createMediaPool({ logging, log }: { logging: Logging; log: Log }): MediaPool {
  const pool = createMediaThreads<unknown, unknown>({
    name: 'main',
    data: { logging },
    threads: THREADS,
    atOnce: 1,
    waiting: WAITING,
    heapMb: HEAP_MB,
    log,
  })

  async function read<T>(name: string, task: unknown, pieces: Uint8Array<ArrayBuffer>[]): Promise<T> {
    try {
      return (await pool.run(task, { name, transferList: pieces.map(({ buffer }) => buffer) })) as T
    } catch (cause) {
      throw new Failure('engine_unavailable', {
        message: 'The request body cannot be read at the moment; try again later.',
        cause,
      })
    }
  }

  return {
    async readLargeBody(route, fields, pieces, onUnknown = () => {}) {
      const result = await read<Read>('readBodyAndMove', { route, ...fields, pieces }, pieces)
      onUnknown(result.unknown)
      if ('err' in result) throw Failure.from(result.err)
      return result.ok as { operation: string; input: unknown }
    },

    readLargeMessage: (pieces) => read<ReadLargeMessage>('readMessageAndMove', pieces, pieces),

    close: () => pool.destroy(),
  }
}
