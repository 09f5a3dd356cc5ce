/** Creates private folders, checks that the user of the process can use them, and makes files private. */
import { chmodSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, open, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600

/**
 * Creates a private folder, and its parent folders if they are missing. The permissions of an existing folder are not
 * changed.
 */
export async function makePrivate(folder: string): Promise<void> {
  // Folders are created one level at a time, because with `recursive` the call never ends on a file system like /proc.
  try {
    await make(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    await makePrivate(dirname(folder))
    await make(folder)
  }
}

async function make(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/**
 * Creates the folders of the data and of the store. Throws a sentence that names the variable if the user of the
 * process cannot use a folder or a file in it, for example because of a first start as root.
 */
export async function makeDataDir(dataDir: string, storeDir = join(dataDir, 'state')): Promise<void> {
  const isInside = storeDir.startsWith(join(dataDir, '/'))
  await makeNamedFolder('SVC_DATA_DIR', dataDir)
  if (!isInside) await makeNamedFolder('SVC_STORE_URL', storeDir)
  // A secret may be mounted read-only; the others must be writable.
  const kept: [path: string, tried: (path: string) => Promise<void>][] = [
    [join(dataDir, 'secret-key'), (path) => tryToOpen(path, 'r')],
    ...[join(dataDir, 'blobs'), join(dataDir, 'tmp'), storeDir].map((dir): [string, typeof tryToWrite] => [dir, tryToWrite]),
    [join(storeDir, 'data.mdb'), (path) => tryToOpen(path, 'r+')],
  ]
  for (const [path, tried] of kept) {
    try {
      await tried(path)
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') continue
      const [variable, folder] = path.startsWith(storeDir) && !isInside ? ['SVC_STORE_URL', storeDir] : ['SVC_DATA_DIR', dataDir]
      throw new Error(
        `${variable} is ${JSON.stringify(folder)}, and ${thisUser()} may not use ${path}; give that user the whole folder (chown -R).`,
        { cause },
      )
    }
  }
}

/**
 * Creates the folder if it is missing. Throws a sentence that names the variable if the folder cannot be created, or if
 * the user of the process cannot write to the folder.
 */
export async function makeNamedFolder(variable: string, folder: string): Promise<void> {
  const names = `${variable} is ${JSON.stringify(folder)}`
  try {
    await makePrivate(folder)
  } catch (cause) {
    throw new Error(`${names}; it must be a folder that exists or can be created.`, { cause })
  }
  try {
    await tryToWrite(folder)
  } catch (cause) {
    throw new Error(`${names}; it must be a folder that ${thisUser()} can write to.`, { cause })
  }
}

const tryToOpen = (path: string, flags: 'r' | 'r+') => open(path, flags).then((file) => file.close())

/** Error codes of a full disk. A full disk is not a problem with the folder, and other checks report it. */
const FULL = new Set(['ENOSPC', 'EDQUOT'])

/**
 * Creates a folder and removes it again, because permissions do not show everything: on a disk that is mounted
 * read-only, even root cannot write.
 */
async function tryToWrite(folder: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(folder, '.try-')))
  } catch (error) {
    if (!FULL.has(codeOf(error) ?? '')) throw error
  }
}

function thisUser(): string {
  const uid = process.geteuid?.()
  return uid === undefined ? 'this user' : `the user of this process (uid ${uid})`
}

/**
 * Makes a file private, because another program or an older release may have made it readable for others. Files of
 * another user are not changed.
 */
export function closeFile(path: string): void {
  const { mode, uid } = statSync(path)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, PRIVATE_FILE)
}
