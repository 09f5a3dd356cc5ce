/**
 * `blobs:`: inline media that waits beside its queue item, as files (unstorage, fs-lite), sealed, under one disk budget. A blob is written
 * and flushed before the record that names it is committed, so a record never names bytes that are not there.
 */
import { open, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createStorage } from 'unstorage'
import fsLite from 'unstorage/drivers/fs-lite'
import { checkRecordKey } from './contract.ts'
import type { Sealer } from './seal.ts'

export interface Blobs {
  /** Durable when it resolves. Resolves with false when the budget does not allow it; nothing is stored then. */
  put(key: string, bytes: Uint8Array): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  remove(key: string): Promise<void>
  /** Keys that begin with the prefix, in no order. */
  list(prefix: string): Promise<string[]>
  /** Bytes on disk as counted against the budget. */
  used(): number
}

export interface BlobsOptions {
  sealer: Sealer
  budgetBytes: number
  /**
   * The count shared by all threads that write to the directory: `new BigInt64Array(new SharedArrayBuffer(8))`, begun with
   * `measureBlobs(dir)`. Absent: a count of this thread alone, measured now.
   */
  counter?: BigInt64Array | undefined
}

export async function openBlobs(dir: string, { sealer, budgetBytes, counter }: BlobsOptions): Promise<Blobs> {
  const base = resolve(dir)
  const storage = createStorage({ driver: fsLite({ base }) })
  const count = counter ?? new BigInt64Array([BigInt(await measureBlobs(base))])
  const add = (bytes: number) => Number(Atomics.add(count, 0, BigInt(bytes))) + bytes
  // fs-lite keeps the key `a:b` in the file `a/b`.
  const file = (key: string) => join(base, ...key.split(':'))

  async function size(key: string): Promise<number | undefined> {
    try {
      return (await stat(file(key))).size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async function remove(key: string): Promise<void> {
    const bytes = await size(key)
    if (bytes === undefined) return
    await storage.removeItem(key)
    add(-bytes)
  }

  return {
    remove,
    used: () => Number(Atomics.load(count, 0)),
    async put(key, bytes) {
      checkRecordKey(key)
      const sealed = sealer.seal(key, bytes)
      if (add(sealed.byteLength) > budgetBytes) {
        add(-sealed.byteLength)
        return false
      }
      try {
        await storage.setItemRaw(key, sealed)
        await flush(file(key))
      } catch (error) {
        add(-sealed.byteLength)
        throw error
      }
      return true
    },
    async get(key) {
      const sealed = await storage.getItemRaw<Uint8Array>(key)
      return sealed === null ? undefined : sealer.open(key, sealed)
    },
    list: (prefix) => storage.getKeys(prefix),
  }
}

/** Bytes of all blobs under the directory. */
export async function measureBlobs(dir: string): Promise<number> {
  let bytes = 0
  for (const entry of await entries(dir)) {
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

/** The file's bytes and its name: fs-lite only hands them to the operating system. */
async function flush(path: string): Promise<void> {
  for (const target of [path, join(path, '..')]) {
    const handle = await open(target, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}
