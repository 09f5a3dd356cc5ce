/** Erases instances of this service that were deleted, if the deletion itself has not erased them. */
import { SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'
import type { StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { keys } from '../storage/record-keys.ts'

export interface ErasuresDeps {
  store: Pick<StateStore, 'get'>
  engine: Pick<Engine, 'stop'>
  keyRing: Pick<KeyRing, 'forget'>
  isHome(instance: string): boolean
  eraseAfterMs?: number
  log: Log
}

/**
 * Time in ms after which this service erases a deleted instance without a request. Normally the service that deletes
 * the instance requests the erasure earlier.
 */
const DUE = 3 * SECOND
const LONGEST_PAUSE = 60 * SECOND

/**
 * Returns a function that erases a deleted instance after a while, unless the instance has moved by then. It is needed
 * if the request of the deletion itself failed, or was never sent because a service was killed.
 */
export function createErasures({ store, engine, keyRing, isHome, eraseAfterMs = DUE, log }: ErasuresDeps) {
  async function erase(instance: string): Promise<void> {
    if ((await store.get(keys.config(instance))) !== undefined) return
    // The instance has moved, so its new service erases it.
    if (!isHome(instance)) return keyRing.forget(instance)
    log.info({ instance_id: instance }, 'a deleted instance is erased here')
    await engine.stop(instance, 'erase')
  }

  function eraseAfter(instance: string, ms: number): void {
    setTimeout(() => {
      erase(instance).catch((err: unknown) => {
        log.warn({ err, instance_id: instance }, 'a deleted instance could not be erased; the service tries again')
        eraseAfter(instance, Math.min(2 * ms, LONGEST_PAUSE))
      })
    }, ms).unref()
  }

  return (instance: string): void => eraseAfter(instance, eraseAfterMs)
}
