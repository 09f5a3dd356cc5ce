/**
 * Files of the key ring: one per key, outside the store, because only a file can be overwritten in place. A removed
 * record remains in the free pages of the store, readable with its key, so the key must really be destroyed.
 *
 * A file has two places for its key, each encrypted with a secret key. Usually one place is empty. During a rotation of
 * the secret key, the old secret key opens one place and the new one opens the other. Nothing is ever moved, so after a
 * kill at least one of the two secret keys opens the file.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeOnce } from './durable-files.ts'
import { type KeyFile, openKeyPlaces, PLACE_BYTES, sealPlace } from './key-places.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from './private.ts'
import { createSealer, RING_KEY_BYTES } from './sealer.ts'

/** Offsets of the places. Each place is in a separate sector, so writing a place does not change the other. */
const PLACES = [0, 512] as const
const FILE_BYTES = 1_024
const EMPTY = Buffer.alloc(PLACE_BYTES)

export interface KeyFiles {
  /** Location of all keys, for sentences. */
  where: string
  /** Returns the location of a key, for sentences. */
  whereIs(name: string): string
  /** Returns the names of all files, in any order. */
  names(): Promise<string[]>
  /** Reads a key. Undefined if no such file exists; null if this secret key opens no place of the file. */
  read(name: string): Promise<KeyFile | null | undefined>
  /** Creates a file, which is durable when the promise resolves. Resolves with the existing key if there is one. */
  make(name: string, key?: Uint8Array): Promise<Uint8Array>
  /** Fills the other place with the key, encrypted with another secret key. */
  sealAlso(name: string, nextKey: Uint8Array): Promise<void>
  /** Empties the other place. */
  clearOther(name: string): Promise<void>
  /** Overwrites the file, then removes it. */
  destroy(name: string): Promise<void>
  /** Removes files that a kill left incomplete. */
  removeDrafts(): Promise<void>
}

export function openKeyFiles(dir: string, secretKey: Uint8Array): KeyFiles {
  const sealer = createSealer(secretKey)
  const path = (name: string) => join(dir, name)

  const opened = (name: string, bytes: Buffer): KeyFile | null =>
    openKeyPlaces(sealer, name, [placeIn(bytes, 0), placeIn(bytes, 1)])

  async function read(name: string): Promise<KeyFile | null | undefined> {
    try {
      return opened(name, await readFile(path(name)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async function found(name: string): Promise<KeyFile> {
    const file = await read(name)
    if (!file) throw new Error(`The key ${path(name)} cannot be opened.`)
    return file
  }

  async function writeOther(name: string, value: Uint8Array): Promise<void> {
    const { place } = await found(name)
    await changing(path(name), 'r+', (handle) => handle.write(value, 0, PLACE_BYTES, PLACES[place === 0 ? 1 : 0]))
  }

  return {
    where: dir,
    whereIs: path,
    read,
    async names() {
      try {
        const entries = await readdir(dir, { withFileTypes: true })
        return entries.filter((entry) => !entry.isDirectory() && isKeyName(entry.name)).map(({ name }) => name)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    },
    async make(name, key = Uint8Array.from(randomBytes(RING_KEY_BYTES))) {
      await mkdir(dir, { recursive: true, mode: PRIVATE_FOLDER })
      const bytes = Buffer.alloc(FILE_BYTES)
      sealPlace(sealer, name, key).copy(bytes, PLACES[0])
      if (await writeOnce(path(name), bytes)) return key
      // An existing key is never replaced, because records that are sealed with it would be lost.
      return (await found(name)).key
    },
    async sealAlso(name, nextKey) {
      const { key } = await found(name)
      await writeOther(name, sealPlace(createSealer(nextKey), name, key))
    },
    clearOther: (name) => writeOther(name, EMPTY),
    async destroy(name) {
      try {
        await changing(path(name), 'r+', (handle) => handle.write(randomBytes(FILE_BYTES), 0, FILE_BYTES, 0))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
        throw error
      }
      await unlink(path(name))
      await syncFolder(dir)
    },
    async removeDrafts() {
      for (const name of await readdir(dir)) if (name.endsWith('.tmp')) await rm(path(name))
    },
  }
}

/** Whether a file may hold a key. Hidden files (`.DS_Store`) and unfinished files (`.tmp`) do not. */
const isKeyName = (name: string) => !name.startsWith('.') && !name.endsWith('.tmp')

function placeIn(bytes: Buffer, place: 0 | 1): Buffer | undefined {
  const found = bytes.subarray(PLACES[place], PLACES[place] + PLACE_BYTES)
  return found.equals(EMPTY) ? undefined : found
}

async function changing(path: string, flags: string, change: (handle: FileHandle) => Promise<unknown>): Promise<void> {
  const handle = await open(path, flags, PRIVATE_FILE)
  try {
    await change(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
