/**
 * Copies a data folder while the service runs, so that a service can start on the copy.
 *
 * The media are copied before the records, because a file may be removed during the copy, and after them, because a
 * file may be added. The keys of instances are copied twice for the same reason.
 *
 * Limit: a message that is queued and sent between the two copies may be in the backup without its media. A service on
 * the backup reports it as failed.
 */
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { DRAFT } from './durable-files.ts'
import { makePrivate, PRIVATE_FILE, PRIVATE_FOLDER } from './private.ts'

export interface BackupSource {
  /** Copies the records of one point in time into an existing folder, even while other threads write. */
  copyTo(dir: string): Promise<void>
  keysDir: string
  /** Folder of the media. Null if the media are not in files. */
  blobsDir: string | null
  keyFile?: string | undefined
}

/**
 * Makes a backup in the folder `target`, which must not exist and is created only when the copy is complete. Resolves
 * with the number of media files.
 */
export async function makeBackup(target: string, { copyTo, keysDir, blobsDir, keyFile }: BackupSource): Promise<number> {
  if ((await sizeOf(target)) !== undefined) throw new Error(`${target} already exists; name a folder that does not exist.`)
  await makePrivate(dirname(target))
  const draft = `${target}.partial`
  const [state, blobs, keys] = [join(draft, 'state'), join(draft, 'blobs'), join(draft, 'keys')]
  await rm(draft, { recursive: true, force: true })
  try {
    for (const folder of [state, blobs, keys]) await makePrivate(folder)
    const copyMedia = () => (blobsDir === null ? 0 : copyFiles(blobsDir, blobs))
    const secretKey = await contentOf(keyFile)
    await copyMedia()
    await copyFiles(keysDir, keys)
    await copyTo(state)
    const mediaFiles = await copyMedia()
    // The copy may contain the key of an instance that has no record. The first start on the copy removes such a key.
    await copyFiles(keysDir, keys, { again: true })
    await rename(keys, join(state, 'keys'))
    if ((await contentOf(keyFile)) !== secretKey)
      throw new Error('The secret key was replaced during the backup, so the copied keys may not fit it; make the backup again.')
    if (secretKey !== undefined) await writeFile(join(draft, 'secret-key'), secretKey, { mode: PRIVATE_FILE })
    for (const file of await filesOf(draft)) await flush(file)
    await rename(draft, target)
    await flush(dirname(target))
    return mediaFiles
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

const contentOf = (file: string | undefined) => (file === undefined ? undefined : readFile(file, 'utf8'))

/** Copies the files that are not copied yet, or with `again` all. Resolves with the number of files then in `to`. */
async function copyFiles(from: string, to: string, { again = false } = {}): Promise<number> {
  for (const file of await filesOf(from)) {
    const copy = join(to, relative(from, file))
    const size = await sizeOf(file)
    // A file gets its name when it is complete. After that, media do not change, so a copy of the same size is complete.
    // A rotation of the secret key changes key files. A file that was removed in the meantime is skipped.
    if (size === undefined || (!again && size === (await sizeOf(copy)))) continue
    await mkdir(dirname(copy), { recursive: true, mode: PRIVATE_FOLDER })
    await copyFile(file, copy).catch(unlessGone)
  }
  return (await filesOf(to)).length
}

async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(unlessGone)
  const files = (entries ?? []).filter((entry) => entry.isFile() && !entry.name.endsWith(DRAFT))
  return files.map(({ parentPath, path, name }) => join(parentPath ?? path, name))
}

const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(unlessGone))?.size

function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
