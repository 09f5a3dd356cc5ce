/**
 * Threads without state for what would stall HTTP: a 60 MB body parsed on the main thread holds everybody up for 112 ms, handed over as
 * raw bytes for 22 ms. They come when there is work and go when there is none.
 */
import { Piscina } from 'piscina'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { Result } from './engine.ts'
import { threadFlags, threadModule } from './thread.ts'

/** Bodies at a time; each may hold several times its 64 MB while it is decoded. */
const THREADS = 2
/** An idle thread keeps about 40 MB. */
const IDLE = 30 * SECOND
const HEAP_MB = 512
/** Bodies that wait for a thread, 64 MB each at most; beyond that the answer is 503. */
const WAITING = 8

export interface MediaPool {
  /** Validated input of the operation; the body's bytes are gone from this thread afterwards. */
  readLargeBody(operation: string, path: Record<string, string>, body: ArrayBuffer): Promise<unknown>
  close(): Promise<void>
}

export function createMediaPool({ logLevel, log }: { logLevel: string; log: Log }): MediaPool {
  const module = threadModule('../../workers/media/main', import.meta.url)
  const flags = threadFlags(module)
  const pool = new Piscina<unknown, Result>({
    filename: module.href,
    ...(flags === undefined ? {} : { execArgv: flags }),
    workerData: { logLevel },
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE,
    maxQueue: WAITING,
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  // Without a listener a thread that dies idle would end the whole process.
  pool.on('error', (error) => log.error({ err: error }, 'a media thread ended'))

  return {
    async readLargeBody(operation, path, body) {
      let result: Result
      try {
        result = await pool.run({ operation, path, body }, { name: 'readBodyAndMove', transferList: [body] })
      } catch (cause) {
        throw new Failure('engine_unavailable', { message: 'The body could not be read right now; try again later.', cause })
      }
      if ('err' in result) throw Failure.from(result.err)
      return result.ok
    },

    close: () => pool.destroy(),
  }
}
