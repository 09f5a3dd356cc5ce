/**
 * Ensures that a standby uses the same folders as the active service (`SVC_KEYS_DIR`, `SVC_BLOBS_DIR`); in folders of
 * its own it would find no keys. The active service writes its id into each folder, and its standby reads the id there.
 * The members of a cluster use a mark that all of them can compute.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { BRAND } from '../domain/brand.ts'
import { sha256 } from '../lib/sha256.ts'
import { isAlone } from '../storage/beside-members.ts'
import type { OpenStore } from '../storage/open-store.ts'
import { PRIVATE_FILE } from '../storage/private.ts'
import { keys } from '../storage/record-keys.ts'

type Folders = Pick<Config, 'keysDir' | 'blobsDir'>

/** The name of the file begins with a dot, because the code that lists keys ignores hidden files. */
const MARK = `.${BRAND}-service`

const named = ({ keysDir, blobsDir }: Folders): [variable: string, dir: string][] =>
  Object.entries({ SVC_KEYS_DIR: keysDir, SVC_BLOBS_DIR: blobsDir }).flatMap(([variable, dir]) =>
    dir === null ? [] : [[variable, dir]],
  )

export async function markFolders(folders: Folders, owner: string): Promise<void> {
  for (const [, dir] of named(folders)) await writeFile(join(dir, MARK), owner, { mode: PRIVATE_FILE })
}

/**
 * Checks the folders of a member of a cluster. Throws a sentence for the operator if a folder is not that of the other
 * members. A member that is alone writes the mark.
 */
export async function checkFolders(folders: Folders, store: Pick<OpenStore, 'get' | 'members'>): Promise<void> {
  const mark = sha256((await store.get(keys.keyRing))!, 'base64url')
  for (const [variable, dir] of named(folders)) {
    const found = await readFile(join(dir, MARK), 'utf8').catch(() => undefined)
    if (found === mark) continue
    if (!isAlone(store))
      throw new Error(
        `${variable} is ${JSON.stringify(dir)}, which is not the folder of the other members of the cluster; all members must use the same shared folder.`,
      )
    await writeFile(join(dir, MARK), mark, { mode: PRIVATE_FILE })
  }
}

/**
 * Resolves with a sentence for the operator if a folder is not the one that the owner marked, otherwise with undefined.
 */
export async function otherFolder(folders: Folders, owner: string, name: string): Promise<string | undefined> {
  for (const [variable, dir] of named(folders)) {
    // If the file is missing or cannot be read, the folder counts as a different one.
    const found = await readFile(join(dir, MARK), 'utf8').catch(() => undefined)
    if (found !== owner)
      return `${variable} is ${JSON.stringify(dir)}, which is not the folder of the service on ${name}; a service and its standby must use the same shared folder.`
  }
  return undefined
}
