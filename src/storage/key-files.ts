/**
 * Stores each key in a file, because a file can be overwritten in place. The records of a deleted instance remain in
 * free pages of the store, so the key that decrypts them must be destroyed.
 *
 * A file has space for two encrypted copies of its key. During a rotation, one copy is encrypted with the old secret
 * key and one with the new, so that either of the two decrypts the file after a kill.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DRAFT, syncFolder, writeOnce } from './durable-files.ts'
import { PLACE_BYTES } from './key-places.ts'
import type { KeyTable, Places } from './key-table.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from './private.ts'

/**
 * Offsets of the two encrypted copies in a file. Each copy is in a separate disk sector, so writing one cannot damage
 * the other.
 */
const PLACES = [0, 512] as const
const FILE_BYTES = 1_024
const EMPTY = Buffer.alloc(PLACE_BYTES)
const AT_ONCE = 64

export function keyFiles(dir: string): KeyTable {
  const path = (name: string) => join(dir, name)

  async function get(name: string): Promise<Places | undefined> {
    try {
      const bytes = await readFile(path(name))
      return [placeIn(bytes, 0), placeIn(bytes, 1)]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async function names(): Promise<string[]> {
    try {
      const entries = await readdir(dir, { withFileTypes: true })
      return entries.filter((entry) => !entry.isDirectory() && isKeyName(entry.name)).map(({ name }) => name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  return {
    where: dir,
    whereIs: path,
    names,
    get,
    async all() {
      const found = new Map<string, Places>()
      for (const left = await names(); left.length > 0; ) {
        const these = await Promise.all(left.splice(0, AT_ONCE).map(async (name) => [name, await get(name)] as const))
        for (const [name, places] of these) if (places) found.set(name, places)
      }
      return found
    },
    async add(name, places) {
      await mkdir(dir, { recursive: true, mode: PRIVATE_FOLDER })
      const bytes = Buffer.alloc(FILE_BYTES)
      for (const place of [0, 1] as const) bytes.set(places[place] ?? EMPTY, PLACES[place])
      await writeOnce(path(name), bytes)
    },
    set: (name, place, value = EMPTY) =>
      changing(path(name), 'r+', (handle) => handle.write(value, 0, PLACE_BYTES, PLACES[place])),
    // A kill may leave a file that was partly overwritten. The file is renamed first, because a damaged file with the
    // name of a key would prevent each start.
    async remove(name) {
      const condemned = path(name + CONDEMNED)
      if (await unlessGone(rename(path(name), condemned))) await syncFolder(dir)
      if (await unlessGone(destroy(condemned))) await syncFolder(dir)
    },
    async removeDrafts(youngestMs) {
      const isOld = async (name: string) => youngestMs === 0 || Date.now() - (await stat(path(name))).mtimeMs >= youngestMs
      for (const name of await readdir(dir)) {
        // Another process may remove the same file.
        if (name.endsWith(CONDEMNED)) await unlessGone(destroy(path(name)))
        // Other drafts are deleted but not overwritten: the same file may also be linked to the name of a key.
        else if (name.endsWith(DRAFT)) await unlessGone(isOld(name).then((isIt) => (isIt ? rm(path(name)) : undefined)))
      }
    },
  }
}

const CONDEMNED = `.condemned${DRAFT}`

async function destroy(file: string): Promise<void> {
  await changing(file, 'r+', (handle) => handle.write(randomBytes(FILE_BYTES), 0, FILE_BYTES, 0))
  await unlink(file)
}

const unlessGone = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return false
    },
  )

/** True for the name of a key. Hidden files (`.DS_Store`) and unfinished files (`.tmp`) contain no key. */
const isKeyName = (name: string) => !name.startsWith('.') && !name.endsWith(DRAFT)

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
