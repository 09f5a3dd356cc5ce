/** Files and folders for this user alone: credentials of accounts are in them, sealed, but nobody else has any business there. */
import { chmodSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600

/** Makes the folder and those above it that are missing. One that exists is the operator's: its permissions stay. */
export async function makePrivate(folder: string): Promise<void> {
  // Step by step: where a file system takes no folders (/proc), `recursive` tries for ever.
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

/** The folder that everything lies in, as the operator named it. */
export async function makeDataDir(folder: string): Promise<void> {
  try {
    await makePrivate(folder)
  } catch (cause) {
    throw new Error(`SVC_DATA_DIR is ${JSON.stringify(folder)}; it must be a folder that is there or can be made.`, { cause })
  }
}

/** A file that another program, or an older release, has made readable for others. Of another user's it is not ours to say. */
export function closeFile(path: string): void {
  const { mode, uid } = statSync(path)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, PRIVATE_FILE)
}
