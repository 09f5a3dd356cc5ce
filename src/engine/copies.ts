/**
 * The thread that copies received files to a bucket. It starts with the first file, and ends after a while without one.
 */
import type { Bucket } from '../domain/bucket.ts'
import type { Log, Logging } from '../domain/log.ts'
import type { MediaCopy, MediaCopyResult } from '../domain/media-copy.ts'
import type { NetworkOptions } from './engine.ts'
import { createMediaThreads } from './media-threads.ts'

const HEAP_MB = 128

export interface Copies {
  /** Copies a received file. Never rejects. */
  copy(task: MediaCopy): Promise<MediaCopyResult>
  close(): Promise<void>
}

export interface CopiesOptions {
  bucket: Bucket
  network: NetworkOptions
  egressAllow: readonly string[]
  atOnce: number
  logging: Logging
  log: Log
}

export function createCopies({ log, atOnce, ...data }: CopiesOptions): Copies {
  const pool = createMediaThreads<MediaCopy, MediaCopyResult>({
    name: 'copy',
    data,
    threads: 1,
    atOnce,
    waiting: atOnce,
    heapMb: HEAP_MB,
    log,
  })
  return {
    copy: (task) =>
      pool.run(task, { name: 'copy' }).catch((error: Error): MediaCopyResult => ({ type: 'host', reason: error.message })),
    close: () => pool.destroy(),
  }
}
