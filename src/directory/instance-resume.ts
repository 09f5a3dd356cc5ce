/**
 * Makes an instance usable again after its move was cancelled, for the API. The command `instance resume` does the
 * same.
 */
import { notMoved } from '../archive/moved-to.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { Status } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'
import { hasInstance } from '../storage/beside-members.ts'
import type { StateStore } from '../storage/contract.ts'
import type { OpenParts } from '../storage/store-backend.ts'

export interface InstanceResumeDeps {
  store: Pick<StateStore, 'commit'> & Pick<OpenParts, 'homes' | 'members'>
  engine: Pick<Engine, 'call'>
  steps: Steps
  log: Log
}

/** Resolves with the status in which the instance starts. Rejects with `not_allowed` if it was not moved. */
export const createInstanceResume =
  ({ store, engine, steps, log }: InstanceResumeDeps) =>
  async (instance: InstanceId): Promise<Status> => {
    const { status } = await engine.call(instance, { kind: 'control', operation: 'instance.callOffMove', input: {} })
    await steps('resume:started')
    // Only the service that has the instance may write its records. If another service has it, the record stays, and
    // the next export drops it as out of date.
    if (hasInstance(store, instance)) await store.commit({ ops: [notMoved(instance)] })
    await steps('resume:ended')
    log.info({ instance_id: instance }, 'an administrator cancelled the move of an instance')
    return status
  }
