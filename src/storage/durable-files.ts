/**
 * Writes files in such a way that a kill or a power cut leaves either the old file or the complete new one. Only the
 * owner of a file can read it.
 */
import { randomBytes } from 'node:crypto'
import { chown, type FileHandle, link, open, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PRIVATE_FILE } from './private.ts'

/** Flushes a folder, so that the names of new and removed files in it are durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes all bytes at a position. On a nearly full disk, a single write can end early without an error, and only the
 * next one fails.
 */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0
  while (done < bytes.byteLength) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.byteLength - done, position + done)
    done += bytesWritten
  }
}

/**
 * Writes a new file, which is durable when the promise resolves. Resolves with false, and changes nothing, if the file
 * exists.
 */
export async function writeOnce(file: string, bytes: Uint8Array): Promise<boolean> {
  const draft = await writeDraft(file, bytes)
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await unlink(draft)
  }
  await syncFolder(dirname(file))
  return true
}

/**
 * Replaces the content of a file, keeps its owner, and overwrites the old content on disk. All of this is durable when
 * the promise resolves.
 */
export async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  const old = await open(file, 'r+')
  try {
    const { uid, gid, size } = await old.stat()
    const draft = await writeDraft(file, bytes)
    if ((await stat(draft)).uid !== uid) await chown(draft, uid, gid)
    await rename(draft, file)
    await syncFolder(dirname(file))
    await old.write(randomBytes(size), 0, size, 0)
    await old.sync()
  } finally {
    await old.close()
  }
}

export const DRAFT = '.tmp'

async function writeDraft(file: string, bytes: Uint8Array): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}${DRAFT}`
  const handle = await open(draft, 'wx', PRIVATE_FILE)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}
