import { randomUUID } from 'node:crypto'
import type { Account } from '../account/account.ts'
import { newInstanceToken, newWebhookSecret } from '../account/credentials.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import { DEFAULT_SETTINGS } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { OpenParts } from '../storage/store-backend.ts'
import type { NewInstance } from './directory.ts'
import type { HeldInstances } from './held-instances.ts'
import { type Checks, changedRecord } from './instance-change.ts'
import type { InstanceRecord } from './instance-object.ts'
import { archivedRecord, type instanceRecords } from './record.ts'
import { createTakeOver, type ImportedMedia, type TakeOver } from './take-over.ts'
import { webhooksOf } from './workspace-webhooks.ts'

export interface CreationDeps extends Checks {
  store: StateStore & Pick<OpenParts, 'homes'>
  sealer: Sealer
  records: ReturnType<typeof instanceRecords>
  held: Pick<HeldInstances, 'ids'>
  mutex: KeyedMutex
  account: Pick<Account, 'transact' | 'workspace'>
  keyRing: Pick<KeyRing, 'make' | 'destroy' | 'of' | 'learn'>
  steps: Steps
  clock: Clock
  log: Log
  importedMedia: ImportedMedia
}

interface Made {
  make(): InstanceRecord
  extra?: readonly Op[]
  /** Checks whether the instance may be inserted, as a part of the decision on the commit. Throws if it may not. */
  check?(): Promise<void>
}

export interface Creation {
  add(workspace: WorkspaceId, wish: NewInstance): Promise<InstanceRecord>
  takeOver: TakeOver
}

export function createCreation(deps: CreationDeps): Creation {
  const { store, sealer, records, held, mutex, account, keyRing, steps, clock, log, importedMedia } = deps

  /**
   * Inserts an instance while no change of the workspace's webhooks runs, so that the instance has either all old or
   * all new values.
   */
  const insert = (workspace: WorkspaceId, made: Made): Promise<InstanceRecord> =>
    mutex.run(webhooksOf(workspace), () => insertRecord(workspace, made))

  async function insertRecord(workspace: WorkspaceId, { make, extra = [], check }: Made): Promise<InstanceRecord> {
    let record = make()
    await account.transact(workspace, async (current) => {
      await check?.()
      record = make()
      const { instanceSlots } = current.subscription
      if (current.instancesUsed >= instanceSlots)
        throw new Failure('instance_limit_reached', {
          details: { instance_slots: instanceSlots, instances_used: current.instancesUsed },
        })
      return {
        next: { ...current, instancesUsed: current.instancesUsed + 1 },
        ops: [records.encode(keys.config(record.id), record), ...extra],
      }
    })
    return record
  }

  function sharedBy(workspace: WorkspaceId): Pick<InstanceRecord, 'settings' | 'webhooks'> {
    const { dialect, webhooks } = account.workspace(workspace)
    return { settings: { ...DEFAULT_SETTINGS, dialect }, webhooks }
  }

  const takeOver = createTakeOver({
    store,
    sealer,
    keyRing,
    steps,
    log,
    media: importedMedia,
    known: held.ids,
    async insert({ id, workspace, name, token, from, archive }, extra, check) {
      const now = clock.now()
      const make = (): InstanceRecord => ({
        ...sharedBy(workspace as WorkspaceId),
        createdAt: now,
        ...(archive && archivedRecord(archive.config)),
        id,
        workspace,
        name,
        token,
        importedFrom: from,
        updatedAt: now,
      })
      await insert(workspace as WorkspaceId, { make, extra, check })
    },
  })

  return {
    takeOver,
    async add(workspace, { name, settings = {}, webhooks: { own_secret: hasOwnSecret = false, ...webhooks } = {} }) {
      const now = clock.now()
      const id = randomUUID()
      const token = newInstanceToken()
      const ownSecret = hasOwnSecret ? { secret: newWebhookSecret() } : {}
      const make = () => {
        const shared = sharedBy(workspace)
        const fresh: InstanceRecord = {
          id,
          workspace,
          name,
          token,
          settings: shared.settings,
          webhooks: { ...shared.webhooks, ...ownSecret },
          createdAt: now,
          updatedAt: now,
        }
        return changedRecord(fresh, { settings, webhooks }, deps, 'nested')
      }
      // The record is made before the key, so that a refused creation leaves no key.
      make()
      // The key is stored before the record, because an instance without a key could not run.
      await keyRing.make(id)
      steps('create:key')
      return insert(workspace, { make }).catch(async (error) => {
        await keyRing.destroy(id)
        throw error
      })
    },
  }
}
