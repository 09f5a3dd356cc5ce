/** Deletes instances: first the configuration record, then all data of the instance, and its key last. */
import type { Account } from '../account/account.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'
import type { Oauth } from '../oauth/oauth.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { keys } from '../storage/record-keys.ts'
import type { HeldInstances } from './held-instances.ts'
import type { InstanceRecord } from './instance-object.ts'
import type { instanceRecords } from './record.ts'

export interface DeletionDeps {
  records: ReturnType<typeof instanceRecords>
  held: HeldInstances
  account: Pick<Account, 'transact'>
  oauth: Pick<Oauth, 'endOf'>
  engine: Pick<Engine, 'stop'>
  keyRing: Pick<KeyRing, 'destroy' | 'forget'>
  isElsewhere(instance: string): boolean
  /**
   * Erases a deleted instance after a few seconds, if this service has it then. Undefined if no other service has
   * instances.
   */
  eraseLater: ((instance: string) => void) | undefined
  steps: Steps
  log: Log
}

/**
 * Deletes an instance. It counts as deleted as soon as its record is removed. If a kill interrupts the rest of the
 * deletion, the next start completes it. If another service has the instance, that service is told to erase it.
 */
export type Delete = (record: InstanceRecord) => Promise<void>

export function createDeletion(deps: DeletionDeps): Delete {
  const { records, held, account, oauth, engine, keyRing, isElsewhere, eraseLater, steps, log } = deps

  /**
   * Removes the record, lowers the number of instances of the workspace, and revokes the apps of the instance, in one
   * commit.
   */
  async function removeRecord({ id, workspace }: InstanceRecord): Promise<void> {
    await account.transact(workspace as WorkspaceId, (current) => {
      // Throws if another service has deleted the instance.
      held.get(id)
      return {
        next: { ...current, instancesUsed: Math.max(0, current.instancesUsed - 1) },
        ops: [records.remove(keys.config(id)), ...oauth.endOf({ instance: id }).ops],
      }
    })
  }

  return async (record) => {
    await removeRecord(record)
    steps('delete:recorded')
    const isErased = await engine.stop(record.id, 'erase').then(
      () => true,
      (err: unknown) => {
        log.warn({ err, instance_id: record.id }, 'the engine could not erase a deleted instance yet; it will be erased later')
        return false
      },
    )
    steps('delete:erased')
    if (isElsewhere(record.id)) keyRing.forget(record.id)
    // The instance may be moving to another service, which finds and erases it only while the row of its home exists.
    // `destroy` would remove that row.
    else if (!isErased && eraseLater !== undefined) eraseLater(record.id)
    else await keyRing.destroy(record.id)
  }
}
