/** Files and folders for this user alone: credentials of accounts are in them, sealed, but nobody else has any business there. */
import { chmodSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'

export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600

/** Makes the folder and those above it that are missing. One that exists is the operator's: its permissions stay. */
export async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
}

/** A file that another program, or an older release, has made readable for others. Of another user's it is not ours to say. */
export function closeFile(path: string): void {
  const { mode, uid } = statSync(path)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, PRIVATE_FILE)
}
