/**
 * Threads without state for what would stall HTTP: a 60 MB body parsed on the main thread holds everybody up for 112 ms (design/STACK.md,
 * 1). They come when there is work and go when there is none.
 */
import { Failure } from '../domain/failures.ts'
import type { Log, Logging } from '../domain/log.ts'
import type { Result } from './engine.ts'
import { createMediaThreads } from './media-threads.ts'

/** Bodies at a time; each may hold several times its 64 MB while it is decoded. */
const THREADS = 2
const HEAP_MB = 512
/** More than can wait for a thread: what all large bodies may hold together is bounded where they are read (http/body-budget.ts). */
const WAITING = 10_000

export interface MediaPool {
  /** The operation that is meant and its validated input. The pieces, each alone in its buffer, are gone from this thread afterwards. */
  readLargeBody(
    route: string,
    fields: { path: Record<string, unknown>; query?: Record<string, unknown> },
    pieces: Uint8Array<ArrayBuffer>[],
  ): Promise<{ operation: string; input: unknown }>
  close(): Promise<void>
}

export function createMediaPool({ logging, log }: { logging: Logging; log: Log }): MediaPool {
  const pool = createMediaThreads<unknown, Result>({
    name: 'main',
    data: { logging },
    threads: THREADS,
    atOnce: 1,
    waiting: WAITING,
    heapMb: HEAP_MB,
    log,
  })

  return {
    async readLargeBody(route, fields, pieces) {
      let result: Result
      try {
        result = await pool.run(
          { route, ...fields, pieces },
          { name: 'readBodyAndMove', transferList: pieces.map(({ buffer }) => buffer) },
        )
      } catch (cause) {
        throw new Failure('engine_unavailable', { message: 'The body could not be read right now; try again later.', cause })
      }
      if ('err' in result) throw Failure.from(result.err)
      return result.ok as { operation: string; input: unknown }
    },

    close: () => pool.destroy(),
  }
}
