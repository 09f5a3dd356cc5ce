/**
 * The thread that writes archives of instances for the API: the key of the passphrase takes a second of work and 128 MB. It starts with a request, and ends
 * after a while without one.
 */
import { MessageChannel } from 'node:worker_threads'
import type { ArchiveParts } from '../domain/archive.ts'
import { Failure } from '../domain/failures.ts'
import type { Log, Logging } from '../domain/log.ts'
import { incomingFile } from './incoming-file.ts'
import { createMediaThreads } from './media-threads.ts'

const HEAP_MB = 256
/** Number of archives that are written at a time, so that a slow download does not delay the others. Their keys are derived one after the other. */
const AT_ONCE = 4
/** Number of archives that may wait. Administrators request few. */
const WAITING = 10

export interface ArchiveThreads {
  /** Resolves when the first bytes are there. The signal ends the work. */
  write(parts: ArchiveParts, passphrase: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  close(): Promise<void>
}

export interface ArchiveThreadOptions {
  storeUrl: string
  blobsDir: string
  logging: Logging
  log: Log
}

export function createArchiveThreads({ log, ...data }: ArchiveThreadOptions): ArchiveThreads {
  const pool = createMediaThreads<unknown, void>({
    folder: 'archive',
    name: 'main',
    data,
    threads: 1,
    atOnce: AT_ONCE,
    waiting: WAITING,
    heapMb: HEAP_MB,
    log,
  })
  return {
    async write(parts, passphrase, signal) {
      const { port1, port2 } = new MessageChannel()
      const work = pool.run({ parts, passphrase, port: port2 }, { name: 'write', transferList: [port2] })
      const opened = await incomingFile(port1, work, signal)
      if ('status' in opened) throw new Failure('engine_unavailable')
      return opened.stream
    },
    close: () => pool.destroy(),
  }
}
