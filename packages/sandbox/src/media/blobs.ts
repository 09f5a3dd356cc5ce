import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Stores encrypted media by their SHA-256 in base64url without padding. */
export interface Blobs {
  put(hash: string, bytes: Uint8Array): Promise<void>
  get(hash: string): Promise<Buffer | undefined>
  clear(): Promise<void>
}

export const HASH = /^[A-Za-z0-9_-]{43}$/

export function createBlobs(dir: string | undefined): Blobs {
  return dir === undefined ? blobsInMemory() : blobsInFolder(dir)
}

function blobsInMemory(): Blobs {
  const kept = new Map<string, Buffer>()
  return {
    put: async (hash, bytes) => {
      kept.set(hash, Buffer.from(bytes))
    },
    get: async (hash) => kept.get(hash),
    clear: async () => kept.clear(),
  }
}

function blobsInFolder(dir: string): Blobs {
  return {
    async put(hash, bytes) {
      await mkdir(dir, { recursive: true })
      // The file is renamed when it is complete, so that after a kill no incomplete blob is stored under its hash.
      const unfinished = join(dir, `${randomUUID()}.part`)
      try {
        await writeFile(unfinished, bytes)
        await rename(unfinished, join(dir, hash))
      } catch (error) {
        // An incomplete blob would use disk space that other data need.
        await rm(unfinished, { force: true }).catch(() => undefined)
        throw error
      }
    },
    async get(hash) {
      if (!HASH.test(hash)) return undefined
      try {
        return await readFile(join(dir, hash))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    clear: () => rm(dir, { recursive: true, force: true }),
  }
}
