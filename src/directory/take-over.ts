/**
 * Creates instances from the imported devices in the store. Keys are written first; the commit that creates the
 * instance has the credentials and removes the device. After a kill before that commit, the next start erases the keys
 * and processes the device again.
 */
import type { DeviceKey } from '../domain/device-bundle.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { claimHomes } from '../storage/homes.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { keys } from '../storage/record-keys.ts'
import { removeAll } from '../storage/remove-all.ts'
import { createSealer, type Sealer } from '../storage/sealer.ts'
import { signalKey } from '../storage/signal-key.ts'
import type { OpenParts } from '../storage/store-backend.ts'
import { type ImportedDevice, importRefused, importTaken, keySlices, removeSlices, waitingImports } from './imports.ts'
import { hasItsId, instanceAmong, isThere, knownKeyOf, linkedAs, storedInstances } from './linked.ts'

export interface TakeOverDeps {
  store: StateStore & Pick<OpenParts, 'homes'>
  sealer: Sealer
  keyRing: Pick<KeyRing, 'make' | 'destroy' | 'of' | 'learn'>
  steps: Steps
  log: Log
  /**
   * Inserts the instance in one commit. Rejects with a `Failure` if the workspace can have no more instances. `check`
   * is awaited in the decision on the commit, and may throw.
   */
  insert(device: ImportedDevice, extra: readonly Op[], check: () => Promise<void>): Promise<void>
  /**
   * Returns the ids of the instances in memory. During the decision on a commit, these are the instances in the store.
   */
  known(): Iterable<string>
  media: ImportedMedia
}

/**
 * Creates an instance from each waiting device. `onTaken` is called directly after the instance is inserted. It must
 * not throw.
 */
export type TakeOver = (onTaken: (instance: string) => void) => Promise<void>

export interface ImportedMedia {
  adopt(instance: string): Promise<void>
  dropStaged(instance: string): Promise<void>
  dropAdopted(instance: string): Promise<void>
}

/** Maximum number of records per commit. A longer commit would delay the commits of all other instances. */
const WRITTEN_AT_ONCE = 100

export function createTakeOver(deps: TakeOverDeps): TakeOver {
  const { store, sealer, keyRing, steps, log, insert, known, media } = deps

  /** Whether this service takes the device: another service may have taken or refused it since it was listed here. */
  async function isOurs({ id }: ImportedDevice): Promise<boolean> {
    if (!(await claimHomes(store.homes, [id])).has(id)) return false
    if ((await store.get(keys.import(id))) !== undefined) return true
    if (!(await isThere(store, id))) await store.homes?.remove(id)
    return false
  }

  const keyOf = knownKeyOf(keyRing, store)

  async function refuseLinked(instances: Iterable<string>, { identity }: ImportedDevice): Promise<void> {
    const other = await instanceAmong(instances, identity, store, keyOf)
    if (other !== undefined) throw new Failure('already_linked', { message: linkedAs(other) })
  }

  /**
   * Returns the operation that stores a key or record of the device. A record of an archived instance is stored without
   * a change, because it is already encrypted.
   */
  function recordOf({ id, archive }: ImportedDevice, [type, name, value]: DeviceKey, own: Sealer): Op {
    if (archive) return [keys.instance(id) + name, value]
    const key = signalKey(id, type, name, own)
    return [key, own.seal(key, value)]
  }

  async function writeSlices(device: ImportedDevice, own: Sealer): Promise<void> {
    for await (const slice of keySlices(store, sealer, device)) {
      const ops = slice.map((entry) => recordOf(device, entry, own))
      for (let from = 0; from < ops.length; from += WRITTEN_AT_ONCE)
        await store.commit({ ops: ops.slice(from, from + WRITTEN_AT_ONCE) })
      await steps('import:slice')
    }
  }

  async function take(device: ImportedDevice, onTaken: (instance: string) => void): Promise<void> {
    const { id } = device
    const before = new Set(await storedInstances(store))
    await refuseLinked(before, device)
    if (await isThere(store, id)) throw new Failure('already_linked', { message: hasItsId(id) })
    const { archive } = device
    await keyRing.make(id, archive && Buffer.from(archive.ringKey, 'base64'))
    await steps('import:key')
    const own = createSealer(keyRing.of(id))
    await writeSlices(device, own)
    await media.adopt(id)
    const record = keys.creds(id)
    const creds = Buffer.from(device.creds, 'base64')
    // Since `before` was read, another service may have imported the same device from another file.
    const check = () =>
      refuseLinked(
        [...known()].filter((each) => !before.has(each)),
        device,
      )
    await insert(device, [[record, archive ? creds : own.seal(record, creds)], importTaken(device)], check)
    onTaken(id)
    await steps('import:taken')
    // If the process is killed before this call, the next start removes the staged media.
    await media.dropStaged(id)
  }

  /** Refuses a device. Only the reason stays in the store. An existing instance with the same id is not changed. */
  async function refuse(device: ImportedDevice, failure: Failure): Promise<void> {
    log.error({ err: failure, instance_id: device.id }, 'an imported device could not be made an instance')
    await media.dropStaged(device.id)
    if (!(await isThere(store, device.id))) {
      await media.dropAdopted(device.id)
      await removeAll(store, keys.instance(device.id))
      await keyRing.destroy(device.id)
    }
    await store.commit({ ops: importRefused(device, failure) })
    await removeSlices(store, device)
  }

  return async (onTaken) => {
    for (const device of await waitingImports(store, sealer)) {
      if (!(await isOurs(device))) continue
      try {
        await take(device, onTaken)
        await removeSlices(store, device)
        log.info({ instance_id: device.id }, 'an imported device is now an instance of this service')
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        await refuse(device, error)
      }
    }
  }
}
