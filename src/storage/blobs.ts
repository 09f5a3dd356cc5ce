/**
 * `blobs:`: inline media of queue items, as sealed files (unstorage, fs-lite) under one disk budget. A blob is written and flushed before the record
 * that names it is committed, so a record never names missing bytes.
 *
 * A file is a sequence of pieces. Each piece is sealed separately, together with its index and the number of pieces, so a missing, moved or changed
 * piece is detected. Reading and writing piece by piece never holds a large file twice in memory and does not block the thread for long.
 */
import { createWriteStream, ftruncateSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createStorage } from 'unstorage'
import fsLite from 'unstorage/drivers/fs-lite'
import type { Through } from '../domain/bytes.ts'
import { StorageFailure } from '../domain/storage-failure.ts'
import { checkRecordKey } from './contract.ts'
import { syncFolder } from './durable-files.ts'
import { keys } from './record-keys.ts'
import { SEAL_BYTES, type Sealer } from './sealer.ts'

export interface Blobs {
  /** Durable when it resolves. Resolves with false if the budget is exhausted; then nothing is stored. */
  put(key: string, bytes: Uint8Array): Promise<boolean>
  has(key: string): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  /** Writes a part of the blob to a file, piece by piece; `through` transforms the bytes if it is given. */
  copyTo(key: string, path: string, part: BlobPart, through?: Through): Promise<void>
  remove(key: string): Promise<void>
  /** Keys that begin with the prefix, in any order. */
  list(prefix: string): Promise<string[]>
  /** Bytes on disk that count against the budget. */
  used(): number
}

export interface BlobPart {
  offset: number
  size: number
}

/** Plain bytes per piece; sealing one takes a millisecond. */
const PIECE = 1_048_576
const SEALED_PIECE = PIECE + SEAL_BYTES

/** Blob files of all instances. */
export interface BlobFiles {
  /** Blobs of an instance, sealed with its key. */
  of(sealer: Sealer): Blobs
  /** Removes all blobs of an instance, and its folder. */
  erase(instance: string): Promise<void>
}

export interface BlobsOptions {
  budgetBytes: number
  /**
   * Counter that all threads which write to the directory share: `new BigInt64Array(new SharedArrayBuffer(8))`, initialised with `measureBlobs(dir)`.
   * If absent, this thread has its own counter, measured now.
   */
  counter?: BigInt64Array | undefined
}

export async function openBlobs(dir: string, { budgetBytes, counter }: BlobsOptions): Promise<BlobFiles> {
  const base = resolve(dir)
  const storage = createStorage({ driver: fsLite({ base }) })
  const count = counter ?? new BigInt64Array([BigInt(await measureBlobs(base))])
  const add = (bytes: number) => Number(Atomics.add(count, 0, BigInt(bytes))) + bytes
  // fs-lite stores the key `a:b` in the file `a/b`.
  const file = (key: string) => join(base, ...key.split(':'))

  async function size(key: string): Promise<number | undefined> {
    try {
      return (await stat(file(key))).size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw asOfDisk(error)
    }
  }

  async function remove(key: string): Promise<void> {
    const bytes = await size(key)
    if (bytes === undefined) return
    await storage.removeItem(key)
    add(-bytes)
  }

  /**
   * Extends the file to its final length and counts it, in one turn and before any data is written. If the thread ends in between, removing the
   * remaining file returns exactly the counted bytes. False if the budget is exhausted.
   */
  function claim({ fd }: FileHandle, bytes: number): boolean {
    ftruncateSync(fd, bytes)
    if (add(bytes) <= budgetBytes) return true
    add(-bytes)
    return false
  }

  async function fill(handle: FileHandle, key: string, bytes: Uint8Array, pieces: number, sealer: Sealer): Promise<void> {
    for (let index = 0; index < pieces; index++)
      await handle.writeFile(sealer.seal(nameOf(key, index, pieces), bytes.subarray(index * PIECE, (index + 1) * PIECE)))
    await handle.sync()
  }

  const of = (sealer: Sealer): Blobs => ({
    remove,
    used: () => Number(Atomics.load(count, 0)),
    has: async (key) => (await size(key)) !== undefined,
    async put(key, bytes) {
      checkRecordKey(key)
      const pieces = Math.max(1, Math.ceil(bytes.byteLength / PIECE))
      const path = file(key)
      const handle = await mkdir(dirname(path), { recursive: true })
        .then(() => open(path, 'w'))
        .catch(refused)
      let isClaimed = false
      try {
        isClaimed = claim(handle, bytes.byteLength + pieces * SEAL_BYTES)
        if (isClaimed) await fill(handle, key, bytes, pieces, sealer)
      } catch (error) {
        await remove(key)
        throw asOfDisk(error)
      } finally {
        await handle.close()
      }
      if (isClaimed) await syncFolder(dirname(path)).catch(refused)
      else await rm(path)
      return isClaimed
    },
    async get(key) {
      const sealed = await size(key)
      if (sealed === undefined) return undefined
      const handle = await open(file(key), 'r')
      try {
        const parts: Buffer[] = []
        const whole = sealed - Math.ceil(sealed / SEALED_PIECE) * SEAL_BYTES
        for await (const part of read(handle, key, { offset: 0, size: whole }, sealer)) parts.push(part)
        return Buffer.concat(parts)
      } finally {
        await handle.close()
      }
    },
    async copyTo(key, path, part, through = (bytes) => bytes) {
      const handle = await open(file(key), 'r').catch(refused)
      try {
        await pipeline(through(read(handle, key, part, sealer)), createWriteStream(path))
      } finally {
        await handle.close()
      }
    },
    list: (prefix) => storage.getKeys(prefix),
  })

  return {
    of,
    async erase(instance) {
      for (const key of await storage.getKeys(keys.blobs(instance))) await remove(key)
      await rm(join(base, instance), { recursive: true, force: true })
    },
  }
}

/** Every error of the system is retried, whatever its code (permissions, too many open files). Only a missing file means that the blob is gone. */
function asOfDisk(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined || code === 'ENOENT') return error
  return new StorageFailure(`A file of stored media could not be used: the system call ${syscall} failed.`, { cause: error })
}

const refused = (error: unknown): never => {
  throw asOfDisk(error)
}

/** The decrypted pieces that contain a part, cut to it. */
async function* read(
  handle: FileHandle,
  key: string,
  { offset, size: wanted }: BlobPart,
  sealer: Sealer,
): AsyncGenerator<Buffer> {
  const { size: all } = await handle.stat()
  const pieces = Math.ceil(all / SEALED_PIECE)
  const end = offset + wanted
  for (let index = Math.floor(offset / PIECE); index * PIECE < end; index++) {
    const sealed = Buffer.alloc(Math.min(SEALED_PIECE, all - index * SEALED_PIECE))
    await handle.read(sealed, 0, sealed.length, index * SEALED_PIECE).catch(refused)
    const plain = sealer.open(nameOf(key, index, pieces), sealed)
    yield plain.subarray(Math.max(0, offset - index * PIECE), end - index * PIECE)
  }
}

const nameOf = (key: string, index: number, pieces: number) => `${key}#${index}/${pieces}`

/** Prefix of a folder whose blobs do not belong to an instance yet (`staged-blobs.ts`). */
export const STAGED = 'import-'

/** Bytes of all blobs in the directory. */
export async function measureBlobs(dir: string): Promise<number> {
  let bytes = 0
  for (const entry of await entries(dir)) {
    if (entry.name.startsWith(STAGED)) continue
    const path = join(dir, entry.name)
    bytes += entry.isDirectory() ? await measureBlobs(path) : (await stat(path)).size
  }
  return bytes
}

async function entries(dir: string) {
  try {
    return await readdir(dir, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
