/**
 * Erases what interrupted deletions and creations have left: the records, media and key of each instance without a
 * configuration.
 */
import type { Log } from '../domain/log.ts'
import { isUuid } from '../lib/is-uuid.ts'
import { isAlone } from './beside-members.ts'
import { type BlobItems, ownersOfBlobs, removeOwner } from './blobs/items.ts'
import type { StateStore } from './contract.ts'
import { claimHomes } from './homes.ts'
import { idsUnder } from './ids-under.ts'
import type { KeyRing } from './key-ring.ts'
import { keys } from './record-keys.ts'
import { removeAll } from './remove-all.ts'
import { settleStaged } from './staged-blobs.ts'
import type { OpenParts } from './store-backend.ts'

export interface LeftoverOptions {
  store: StateStore & Pick<OpenParts, 'homes' | 'members'>
  keyRing: KeyRing
  blobs: BlobItems
  log: Log
}

/**
 * Erases each instance without a configuration that this service can claim. Such an instance is left from an
 * interrupted deletion, which removes the configuration first, or an interrupted creation, which writes it last. Must
 * run before any instance is started.
 */
export async function eraseLeftovers({ store, keyRing, blobs, log }: LeftoverOptions): Promise<void> {
  const known = new Set<string>()
  for await (const [key] of store.range(keys.configs)) known.add(key.slice(keys.configs.length))
  if (isAlone(store)) await removeStaged(store, blobs)
  const withBlobs = [...(await ownersOfBlobs(blobs))].filter(isUuid)
  const withRecords = await idsUnder(store, keys.instances)
  const withHomes = ((await store.homes?.all()) ?? []).map(({ instance }) => instance)
  const found = new Set([...keyRing.instances(), ...withRecords, ...withBlobs, ...withHomes])
  const own = await claimHomes(
    store.homes,
    [...found].filter((each) => !known.has(each)),
  )
  await eraseClaimed(own, { store, keyRing, blobs, log })
}

/**
 * Erases those of the instances that have no configuration. This service must be the home of all instances, and they
 * must not run. In a cluster, instances with an imported device are left, and the promise resolves with them: the
 * service will create them from the device.
 */
export async function eraseClaimed(
  instances: Iterable<string>,
  { store, keyRing, blobs, log }: LeftoverOptions,
): Promise<string[]> {
  const imports: string[] = []
  for (const instance of instances) {
    // Another process may have created the instance after the configurations were read.
    if ((await store.get(keys.config(instance))) !== undefined) continue
    if (store.members !== undefined && (await store.get(keys.import(instance))) !== undefined) {
      imports.push(instance)
      continue
    }
    const wasLinked = (await store.get(keys.creds(instance))) !== undefined
    await removeAll(store, keys.instance(instance))
    await removeOwner(blobs, instance)
    // The key is destroyed last, because it shows that the instance is not completely erased.
    await keyRing.destroy(instance)
    const still = wasLinked ? '; its device may still be in the list of linked devices on the phone' : ''
    log.warn({ instance }, `an interrupted deletion or import had left data of an instance; it is now erased${still}`)
  }
  return imports
}

/** Removes staged media, except those of imports that wait for the service. */
async function removeStaged(store: StateStore, blobs: BlobItems): Promise<void> {
  const waiting = new Set<string>()
  for await (const [key] of store.range(keys.imports)) waiting.add(key.slice(keys.imports.length))
  await settleStaged(blobs, (id) => waiting.has(id))
}
