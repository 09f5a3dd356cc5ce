/**
 * The thread that fetches and opens received files: TLS, cipher, MAC and two hashes are 5 ms of work per MB, which eight readers would
 * otherwise make everybody wait for. Main only hands pieces on. Apart from conversions and large bodies, so that none waits for another.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { SECOND } from '../domain/clock.ts'
import type { FileDownload, OpenFile } from '../domain/file-download.ts'
import type { Log } from '../domain/log.ts'
import type { NetworkOptions } from './engine.ts'
import { incomingFile } from './incoming-file.ts'
import { threadFlags, threadModule } from './thread.ts'

/** An idle thread keeps about 40 MB. */
const IDLE = 30 * SECOND
const HEAP_MB = 256

export interface Downloads {
  open: OpenFile
  close(): Promise<void>
}

export interface DownloadOptions {
  network: NetworkOptions
  egressAllow: readonly string[]
  /** Downloads at a time. Who asks for more keeps its own line. */
  atOnce: number
  logLevel: string
  log: Log
}

export function createDownloads({ network, egressAllow, atOnce, logLevel, log }: DownloadOptions): Downloads {
  const module = threadModule('../../workers/media/download', import.meta.url)
  const flags = threadFlags(module)
  const pool = new Piscina<{ download: FileDownload; port: MessagePort }, void>({
    filename: module.href,
    ...(flags === undefined ? {} : { execArgv: flags }),
    workerData: { network, egressAllow, logLevel },
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: atOnce,
    maxQueue: atOnce,
    idleTimeout: IDLE,
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  // Without a listener a thread that dies idle would end the whole process.
  pool.on('error', (error) => log.error({ err: error }, 'the download thread ended'))

  return {
    open(download, signal) {
      const { port1, port2 } = new MessageChannel()
      const work = pool.run({ download, port: port2 }, { name: 'download', transferList: [port2] })
      return incomingFile(port1, work, signal)
    },
    close: () => pool.destroy(),
  }
}
