/**
 * The main module of the thread that writes archives and reads the files of imports. It sends an archive to the main
 * thread in encrypted pieces, and waits while that thread has no space for another piece.
 */
import { type MessagePort, workerData } from 'node:worker_threads'
import { encrypted } from '../../src/archive/archive-file.ts'
import { instanceFrames } from '../../src/archive/instance-archive.ts'
import type { ArchiveParts } from '../../src/domain/archive.ts'
import type { BlobPlace } from '../../src/domain/blob-place.ts'
import type { SharedDisk } from '../../src/domain/disk.ts'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { FileNews } from '../../src/domain/file-download.ts'
import type { FileFound, FileToRead, ImportWish } from '../../src/domain/instance-import.ts'
import type { Logging } from '../../src/domain/log.ts'
import { NotImportable } from '../../src/domain/not-importable.ts'
import { isStorageFailure, noStorage } from '../../src/domain/storage-failure.ts'
import { createKillAt } from '../../src/kill-at.ts'
import { createLog } from '../../src/log.ts'
import { claimsOf } from '../../src/storage/disk.ts'
import { type OpenStore, openBlobItems, openStore } from '../../src/storage/open-store.ts'
import { createSealer } from '../../src/storage/sealer.ts'
import { gathered, movable, roomOf } from '../media/pieces.ts'
import { readFile, stageFile } from './read-file.ts'
import { stoppable } from './stoppable.ts'

export interface ArchiveThreadData {
  storeUrl: string
  blobs: BlobPlace
  disk: SharedDisk
  logging: Logging
  killAt: string | null
}

export interface ArchiveTask {
  parts: ArchiveParts
  passphrase: string
  port: MessagePort
}

export interface ReadTask {
  file: string
  wish: FileToRead
}

export interface StageTask {
  file: string
  wish: Omit<ImportWish, 'isDry'> & { workspace: string }
  /** Key that encrypts the records of the main thread. */
  mainKey: Uint8Array
}

const UNEXPECTED = 'The file does not have the expected form; the log of the service has the details.'

export type Answer<T> = { ok: T } | { err: FailureData }

const { storeUrl, blobs: blobPlace, disk, logging, killAt } = workerData as ArchiveThreadData
const log = createLog(logging, 'archive')
const steps = createKillAt(killAt)

export async function write({ parts, passphrase, port }: ArchiveTask): Promise<void> {
  const stopped = new AbortController()
  port.once('close', () => stopped.abort())
  const room = roomOf(port, stopped.signal)
  const post = (news: FileNews, moved: ArrayBuffer[] = []) => port.postMessage(news, moved)
  const store = await openStore(storeUrl, { mustExist: true, isReader: true })
  const frames = stoppable(instanceFrames(parts, store, await openBlobItems(blobPlace, store)))
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
    // The cipher may still be reading records of the store in advance, so it is stopped before the store is closed.
    await frames.stop()
    await store.close()
  }
}

export const read = ({ file, wish }: ReadTask): Promise<Answer<FileFound>> => answered(() => readFile(file, wish))

/** Reads the device in the file, and stores it. Answers with the id of the future instance. */
export const stage = ({ file, wish, mainKey }: StageTask): Promise<Answer<string>> =>
  answered(() =>
    withWriter(async (store) =>
      stageFile({ store, sealer: createSealer(mainKey), blobs: await openBlobItems(blobPlace, store), steps }, file, wish),
    ),
  )

/**
 * The open store, which all running imports share, and the number of these imports. With two writers in one thread,
 * PostgreSQL would refuse the earlier one.
 */
let writing: { store: Promise<OpenStore>; users: number } | undefined

async function withWriter<T>(work: (store: OpenStore) => Promise<T>): Promise<T> {
  writing ??= { store: openStore(storeUrl, { mustExist: true, claims: claimsOf(disk, disk.claims.length - 1) }), users: 0 }
  const used = writing
  used.users += 1
  try {
    return await work(await used.store)
  } finally {
    used.users -= 1
    if (used.users === 0) {
      writing = undefined
      await used.store.then(
        (store) => store.close(),
        () => {},
      )
    }
  }
}

async function answered<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: await work() }
  } catch (error) {
    return { err: failureOf(error).toData() }
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof NotImportable) {
    const issues = error.problems.map((message) => ({ path: '', message }))
    return new Failure('not_importable', { message: error.message, details: { issues: issues.slice(0, 50) } })
  }
  if (error instanceof Failure) return error
  log.error({ err: error }, 'the file of an import could not be read')
  return isStorageFailure(error) ? noStorage(error) : new Failure('not_importable', { message: UNEXPECTED })
}
