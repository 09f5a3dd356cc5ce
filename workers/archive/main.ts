/**
 * The main module of the thread that writes archives for the API. It reads the records of an instance from the store, encrypts them and moves them to the
 * main thread in pieces, as many as it has space for.
 */
import { type MessagePort, workerData } from 'node:worker_threads'
import { encrypted } from '../../src/archive/archive-file.ts'
import { instanceFrames } from '../../src/archive/instance-archive.ts'
import type { ArchiveParts } from '../../src/domain/archive.ts'
import { Failure } from '../../src/domain/failures.ts'
import type { FileNews } from '../../src/domain/file-download.ts'
import type { Logging } from '../../src/domain/log.ts'
import { createLog } from '../../src/log.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { gathered, movable, roomOf } from '../media/pieces.ts'
import { stoppable } from './stoppable.ts'

export interface ArchiveThreadData {
  storeUrl: string
  blobsDir: string
  logging: Logging
}

export interface ArchiveTask {
  parts: ArchiveParts
  passphrase: string
  port: MessagePort
}

const { storeUrl, blobsDir, logging } = workerData as ArchiveThreadData
const log = createLog(logging, 'archive')

/** Runs one Piscina task. The main thread closes the port to stop it. */
export async function write({ parts, passphrase, port }: ArchiveTask): Promise<void> {
  const stopped = new AbortController()
  port.once('close', () => stopped.abort())
  const room = roomOf(port, stopped.signal)
  const post = (news: FileNews, moved: ArrayBuffer[] = []) => port.postMessage(news, moved)
  const store = await openStore(storeUrl, { mustExist: true, isReader: true })
  const frames = stoppable(instanceFrames(parts, store, blobsDir))
  try {
    const sealed = await encrypted(passphrase, frames)
    post({ type: 'open', length: null })
    for await (const piece of gathered(sealed)) {
      await room()
      const bytes = movable(Uint8Array.from(piece))
      post({ type: 'piece', bytes }, [bytes])
    }
    post({ type: 'end' })
  } catch (error) {
    if (stopped.signal.aborted) return
    log.error({ err: error, instance_id: parts.head.id }, 'an archive could not be written')
    post({ type: 'failed', err: new Failure('engine_unavailable').toData() })
  } finally {
    // The cipher reads ahead, also when its reader has left.
    await frames.stop()
    await store.close()
  }
}
