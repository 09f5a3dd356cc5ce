/**
 * Makes an instance usable again after its move was cancelled, for the API. The command `instance resume` does the
 * same.
 */
import type { InstanceId } from '../domain/ids.ts'
import type { Status } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'

export interface InstanceResumeDeps {
  engine: Pick<Engine, 'call'>
  steps: Steps
  log: Log
}

/**
 * Creates the function that resumes an instance. It resolves with the status in which the instance starts, and rejects
 * with `not_allowed` if the instance was not moved.
 */
export const createInstanceResume =
  ({ engine, steps, log }: InstanceResumeDeps) =>
  async (instance: InstanceId): Promise<Status> => {
    const { status } = await engine.call(instance, { kind: 'control', operation: 'instance.callOffMove', input: {} })
    await steps('resume:ended')
    log.info({ instance_id: instance }, 'an administrator cancelled the move of an instance')
    return status
  }
