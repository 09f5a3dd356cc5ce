/**
 * The thread that downloads and decrypts received files. This takes 5 ms of work per MB, so on the main thread eight
 * downloads would delay all other requests.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { FileDownload, OpenFile } from '../domain/file-download.ts'
import type { Log, Logging } from '../domain/log.ts'
import type { NetworkOptions } from './engine.ts'
import { incomingFile } from './incoming-file.ts'
import { createMediaThreads } from './media-threads.ts'

const HEAP_MB = 256

export interface Downloads {
  open: OpenFile
  close(): Promise<void>
}

export interface DownloadOptions {
  network: NetworkOptions
  egressAllow: readonly string[]
  atOnce: number
  logging: Logging
  log: Log
}

export function createDownloads({ network, egressAllow, atOnce, logging, log }: DownloadOptions): Downloads {
  const pool = createMediaThreads<{ download: FileDownload; port: MessagePort }, void>({
    name: 'download',
    data: { network, egressAllow, logging },
    threads: 1,
    atOnce: atOnce,
    waiting: atOnce,
    heapMb: HEAP_MB,
    log,
  })

  return {
    open(download, signal) {
      const { port1, port2 } = new MessageChannel()
      const work = pool.run({ download, port: port2 }, { name: 'download', transferList: [port2] })
      return incomingFile(port1, work, signal)
    },
    close: () => pool.destroy(),
  }
}
