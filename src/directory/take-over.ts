/**
 * Makes instances of the devices that a command has left in the store (`imports.ts`). Keys are written first, in commits of their own; the one that
 * makes the instance has the credentials and removes the device. A kill before it leaves records without a configuration, which the next start
 * erases (`storage/erase.ts`) before it takes the device over again; after it the instance is there, and no second one can come of the device.
 */
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { keys } from '../storage/record-keys.ts'
import { removeAll } from '../storage/remove-all.ts'
import { createSealer, type Sealer } from '../storage/seal.ts'
import { signalKey } from '../storage/signal-key.ts'
import { type ImportedDevice, importRefused, importTaken, keySlices, removeSlices, waitingImports } from './imports.ts'
import { instanceWith } from './linked.ts'

export interface TakeOverDeps {
  store: StateStore
  sealer: Sealer
  keyRing: Pick<KeyRing, 'make' | 'destroy' | 'of'>
  steps: Steps
  log: Log
  /** Writes the instance's configuration with these records, in one commit. Rejects with a `Failure` where the workspace has no room. */
  insert(device: ImportedDevice, extra: readonly Op[]): Promise<void>
}

/** A longer commit holds up those of everybody else (`storage/remove-all.ts`). */
const WRITTEN_AT_ONCE = 100

/** Takes over all that wait. Resolves with the ids of the instances they became. */
export function createTakeOver({ store, sealer, keyRing, steps, log, insert }: TakeOverDeps): () => Promise<string[]> {
  async function writeKeys(device: ImportedDevice, own: Sealer): Promise<void> {
    for await (const slice of keySlices(store, sealer, device)) {
      const ops = slice.map(([type, keyId, value]): Op => {
        const key = signalKey(device.id, type, keyId, own)
        return [key, own.seal(key, value)]
      })
      for (let from = 0; from < ops.length; from += WRITTEN_AT_ONCE)
        await store.commit({ ops: ops.slice(from, from + WRITTEN_AT_ONCE) })
      await steps('import:slice')
    }
  }

  async function take(device: ImportedDevice): Promise<void> {
    const { id } = device
    const other = await instanceWith(device.identity, store, async (instance) => keyRing.of(instance))
    if (other !== undefined) throw new Failure('not_allowed', { message: `Instance ${other} is already linked as this device.` })
    await keyRing.make(id)
    await steps('import:key')
    const own = createSealer(keyRing.of(id))
    await writeKeys(device, own)
    const creds = keys.creds(id)
    await insert(device, [[creds, own.seal(creds, Buffer.from(device.creds, 'base64'))], importTaken(device)])
    await steps('import:taken')
  }

  /** A refused device leaves nothing but the reason. */
  async function refuse(device: ImportedDevice, failure: Failure): Promise<void> {
    log.error({ err: failure, instance_id: device.id }, 'an imported device could not be taken over')
    await removeAll(store, keys.instance(device.id))
    await keyRing.destroy(device.id)
    await store.commit({ ops: importRefused(device, failure.message) })
    await removeSlices(store, device)
  }

  return async () => {
    const taken: string[] = []
    for (const device of await waitingImports(store, sealer)) {
      try {
        await take(device)
        await removeSlices(store, device)
        taken.push(device.id)
        log.info({ instance_id: device.id }, 'an imported device was taken over')
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        await refuse(device, error)
      }
    }
    return taken
  }
}
