/**
 * Media of an instance that a command brings in, in a folder of its own beside those of the instances: it becomes the instance's folder when the instance is
 * there. Until then it does not count against the budget.
 */
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { measureBlobs, STAGED } from './blobs.ts'
import { syncFolder } from './durable-files.ts'

export const stagedDir = (blobsDir: string, instance: string): string => join(blobsDir, STAGED + instance)

/** `counter`: counts the bytes of all blobs, as in `openBlobs`. Does nothing if nothing is staged. */
export async function adoptStaged(blobsDir: string, instance: string, counter: BigInt64Array): Promise<void> {
  const staged = stagedDir(blobsDir, instance)
  const bytes = await measureBlobs(staged)
  try {
    await rename(staged, join(blobsDir, instance))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await syncFolder(blobsDir)
  Atomics.add(counter, 0, BigInt(bytes))
}

export const dropStaged = (blobsDir: string, instance: string): Promise<void> =>
  rm(stagedDir(blobsDir, instance), { recursive: true, force: true })

/**
 * Runs at the start, before blobs are counted: keeps the folders of imports that wait, adopts those of instances that have none yet, and removes the
 * rest. An instance that has a folder was there before: the folder beside it is of a second import of its archive, which was interrupted.
 */
export async function settleStaged(
  blobsDir: string,
  { isInstance, isWaiting }: Record<'isInstance' | 'isWaiting', (instance: string) => boolean>,
): Promise<void> {
  for (const instance of await stagedIn(blobsDir)) {
    if (isWaiting(instance)) continue
    const isNew = isInstance(instance) && !existsSync(join(blobsDir, instance))
    if (isNew) await adoptStaged(blobsDir, instance, new BigInt64Array(1))
    else await dropStaged(blobsDir, instance)
  }
}

async function stagedIn(blobsDir: string): Promise<string[]> {
  const names = await readdir(blobsDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.flatMap((name) => (name.startsWith(STAGED) ? [name.slice(STAGED.length)] : []))
}
