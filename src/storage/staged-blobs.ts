/**
 * Media of an instance that is being imported. They have a temporary owner until the service creates the instance and
 * copies them to it.
 */
import { type BlobItems, copyBlobs, ownersOfBlobs, removeOwner, STAGED } from './blobs/items.ts'

export const stagedOwner = (instance: string): string => STAGED + instance

/**
 * Copies the staged media of an instance to the instance, and adds their bytes to `counter`, which does not count
 * staged media. Does nothing if no media are staged.
 */
async function adoptStaged(items: BlobItems, instance: string, counter: BigInt64Array): Promise<void> {
  Atomics.add(counter, 0, BigInt(await copyBlobs(items, stagedOwner(instance), instance)))
}

const dropStaged = async (items: BlobItems, instance: string): Promise<void> =>
  void (await removeOwner(items, stagedOwner(instance)))

async function dropAdopted(items: BlobItems, instance: string, counter: BigInt64Array): Promise<void> {
  Atomics.sub(counter, 0, BigInt(await removeOwner(items, instance)))
}

/** Removes the staged media of all instances except those whose import is waiting. Runs at the start of the service. */
export async function settleStaged(items: BlobItems, isWaiting: (instance: string) => boolean): Promise<void> {
  for (const owner of await ownersOfBlobs(items)) {
    const instance = owner.startsWith(STAGED) ? owner.slice(STAGED.length) : undefined
    if (instance !== undefined && !isWaiting(instance)) await dropStaged(items, instance)
  }
}

/** The functions with which an import takes over or removes the staged media of an instance. */
export const importedMediaIn = (items: BlobItems, counter: BigInt64Array) => ({
  adopt: (instance: string) => adoptStaged(items, instance, counter),
  dropStaged: (instance: string) => dropStaged(items, instance),
  dropAdopted: (instance: string) => dropAdopted(items, instance, counter),
})
