/**
 * The thread that examines and converts media before they are sent. One thread is enough, because the heavy work runs
 * in ffmpeg processes or in the thread pool of the process (sharp).
 */
import { MINUTE } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log, Logging } from '../domain/log.ts'
import type { MediaJob } from '../domain/media-job.ts'
import type { Result } from './engine.ts'
import { createMediaThreads } from './media-threads.ts'
import type { Programs } from './programs.ts'

const HEAP_MB = 256
const AT_ONCE = 10_000
/** Time limit in ms of one conversion; the wait for a free slot does not count. */
const CONVERSION_LIMIT = 2 * MINUTE

export interface Conversions {
  /** Prepares a media file. Never rejects. */
  prepare(job: MediaJob): Promise<Result>
  close(): Promise<void>
}

export interface ConversionOptions {
  programs: Programs | null
  conversions: number
  logging: Logging
  log: Log
}

export function createConversions({ programs, conversions, logging, log }: ConversionOptions): Conversions {
  const pool = createMediaThreads<MediaJob | null, Result>({
    name: 'convert',
    data: { programs, conversions, limitMs: CONVERSION_LIMIT, logging },
    threads: 1,
    atOnce: AT_ONCE,
    waiting: AT_ONCE,
    heapMb: HEAP_MB,
    log,
  })

  return {
    async prepare(job) {
      try {
        return await pool.run(job, { name: 'prepare' })
      } catch (error) {
        log.error({ err: error, purpose: job.purpose }, 'media could not be prepared')
        return { err: new Failure('send_failed', { message: 'The media could not be prepared.' }).toData() }
      }
    },

    async close() {
      if (pool.threads.length > 0)
        await pool.run(null, { name: 'stop' }).catch((error: unknown) => {
          log.warn({ err: error }, 'running conversions could not be stopped')
        })
      await pool.destroy()
    },
  }
}
