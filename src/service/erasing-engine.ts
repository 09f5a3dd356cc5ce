import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { LocalEngine } from '../peer/engine/cluster-engine.ts'
import type { KeyRing } from '../storage/key-ring.ts'

export interface ErasingDeps {
  keyRing: Pick<KeyRing, 'destroy'>
  /**
   * Erases everything of an instance that runs in no thread. Does nothing if the instance has a configuration, or (in a
   * cluster) an imported device.
   */
  eraseStored(instance: string): Promise<unknown>
  steps: Steps
  log: Log
}

/**
 * An engine whose `stop(…, 'erase')` deletes an instance completely: its records, its key, and last the row that says
 * which service has it (its home). If the shard thread fails, the key is destroyed first, and the records are erased
 * later. Simultaneous requests for one instance share one deletion. The next service that takes over an instance
 * completes an interrupted deletion.
 */
export function withErasure<E extends LocalEngine>(local: E, { keyRing, eraseStored, steps, log }: ErasingDeps): E {
  const erasing = new Map<string, Promise<void>>()

  async function eraseNow(instance: string): Promise<void> {
    if (local.shardOf(instance) === undefined) return void (await eraseStored(instance))
    await local.stop(instance, 'erase').catch((err: unknown) => {
      log.warn({ err, instance_id: instance }, 'the records of a deleted instance are erased when its shard thread is back')
    })
    steps('delete:erased')
    await keyRing.destroy(instance)
  }

  function erase(instance: string): Promise<void> {
    const running = erasing.get(instance) ?? eraseNow(instance).finally(() => erasing.delete(instance))
    erasing.set(instance, running)
    return running
  }

  return { ...local, stop: (instance, how) => (how === 'erase' ? erase(instance) : local.stop(instance, how)) }
}
