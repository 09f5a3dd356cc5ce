/**
 * The thread that writes archives of instances and reads files of imports. It is not the main thread, because deriving
 * a key from a passphrase takes a second of processor time and 128 MB.
 */
import { MessageChannel } from 'node:worker_threads'
import type { ArchiveParts } from '../domain/archive.ts'
import type { BlobPlace } from '../domain/blob-place.ts'
import type { SharedDisk } from '../domain/disk.ts'
import { Failure, type FailureData } from '../domain/failures.ts'
import type { FileFound, FileToRead, ImportWish } from '../domain/instance-import.ts'
import type { Log, Logging } from '../domain/log.ts'
import { incomingFile } from './incoming-file.ts'
import { createMediaThreads } from './media-threads.ts'

/** Heap limit in MB. An import may contain 64 MB of JSON, which must fit into the heap. */
const HEAP_MB = 512
/**
 * Maximum number of archives and imports that are processed at the same time. The number is greater than one, so that a
 * slow download does not delay the others.
 */
const AT_ONCE = 4
const WAITING = 10

export interface ArchiveThreads {
  write(parts: ArchiveParts, passphrase: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** Reads the file of an import. Rejects with `Failure`. */
  read(file: string, wish: FileToRead): Promise<FileFound>
  stage(file: string, wish: Omit<ImportWish, 'isDry'> & { workspace: string }): Promise<string>
  close(): Promise<void>
}

export interface ArchiveThreadOptions {
  storeUrl: string
  blobs: BlobPlace
  disk: SharedDisk
  logging: Logging
  killAt: string | null
  mainKey: Uint8Array
  log: Log
}

export function createArchiveThreads({ log, mainKey, ...data }: ArchiveThreadOptions): ArchiveThreads {
  const pool = createMediaThreads<unknown, unknown>({
    folder: 'archive',
    name: 'main',
    data,
    threads: 1,
    atOnce: AT_ONCE,
    waiting: WAITING,
    heapMb: HEAP_MB,
    log,
  })
  async function ask<T>(name: 'read' | 'stage', task: object): Promise<T> {
    const answer = (await pool.run(task, { name }).catch((cause: unknown) => {
      throw new Failure('engine_unavailable', { message: 'The file cannot be read at the moment; try again later.', cause })
    })) as { ok: T } | { err: FailureData }
    if ('err' in answer) throw Failure.from(answer.err)
    return answer.ok
  }

  return {
    read: (file, wish) => ask('read', { file, wish }),
    stage: (file, wish) => ask('stage', { file, wish, mainKey }),
    async write(parts, passphrase, signal) {
      const { port1, port2 } = new MessageChannel()
      const work = pool.run({ parts, passphrase, port: port2 }, { name: 'write', transferList: [port2] })
      const opened = await incomingFile(port1, work as Promise<void>, signal)
      if ('status' in opened) throw new Failure('engine_unavailable')
      return opened.stream
    },
    close: () => pool.destroy(),
  }
}
