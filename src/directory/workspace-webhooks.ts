/**
 * Changes the webhooks of a whole workspace, in one commit: the defaults of new instances and every existing instance.
 * The change locks the mutexes of all its instances, so that no other change is lost.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Account } from '../account/account.ts'
import { newWebhookSecret } from '../account/credentials.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure, type Issue } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { WebhookSettings } from '../domain/instance.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { Op } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Directory } from './directory.ts'
import type { HeldInstances } from './held-instances.ts'
import type { InstanceRecord } from './instance-object.ts'
import type { instanceRecords } from './record.ts'
import { previousSecret } from './secret-rotation.ts'
import { type CheckUrl, changeWebhooks } from './webhooks.ts'

export interface WorkspaceWebhooksDeps {
  records: ReturnType<typeof instanceRecords>
  held: HeldInstances
  account: Pick<Account, 'transact'>
  mutex: KeyedMutex
  clock: Clock
  checkUrl: CheckUrl
  configure(record: InstanceRecord): Promise<void>
}

type DecideWebhooks = (current: WebhookSettings, instance?: InstanceId) => WebhookSettings

type Also = (record: InstanceRecord) => Pick<InstanceRecord, 'previousSecret'>

const AT_ONCE = 100

/**
 * Name of the mutex that is locked while instances are added to a workspace, or its webhooks change. The other names in
 * this mutex are ids of instances and `imports`, so the names never collide.
 */
export const webhooksOf = (workspace: WorkspaceId) => `workspace:${workspace}`

function named<T>(instance: InstanceId, change: () => T): T {
  try {
    return change()
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error
    const issues = (error.details?.issues ?? []) as readonly Issue[]
    throw Failure.invalid(...issues.map(({ path, message }) => ({ path, message: `${message} (of instance ${instance})` })))
  }
}

export function createWorkspaceWebhooks(
  deps: WorkspaceWebhooksDeps,
): Pick<Directory, 'updateWorkspaceWebhooks' | 'rotateWorkspaceSecret'> {
  const { records, held, account, mutex, clock, checkUrl, configure } = deps

  async function inSlices<T>(entries: readonly T[], work: (slice: readonly T[]) => void | Promise<void>) {
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      await work(entries.slice(at, at + AT_ONCE))
      await nextTurn()
    }
  }

  async function changeAll(workspace: WorkspaceId, decide: DecideWebhooks, also: Also): Promise<number> {
    let next: InstanceRecord[] = []
    await account.transact(workspace, async (current) => {
      const webhooks = decide(current.webhooks)
      next = []
      const ops: Op[] = []
      const updatedAt = clock.now()
      await inSlices(held.of(workspace), (slice) => {
        for (const record of slice) {
          const changed = { ...record, ...also(record), webhooks: decide(record.webhooks, record.id as InstanceId), updatedAt }
          next.push(changed)
          ops.push(records.encode(keys.config(changed.id), changed))
        }
      })
      return { next: { ...current, webhooks }, ops }
    })
    // The change is already stored, so if one shard thread fails, the others still get it.
    const failures: unknown[] = []
    const configureOne = (record: InstanceRecord) => configure(record).catch((error: unknown) => failures.push(error))
    await inSlices(next, async (slice) => {
      await Promise.all(slice.map(configureOne))
    })
    if (failures.length > 0) throw failures[0]
    return next.length
  }

  const change = (workspace: WorkspaceId, decide: DecideWebhooks, also: Also = () => ({})): Promise<number> =>
    mutex.run(webhooksOf(workspace), async () => {
      const ids = held.of(workspace).map(({ id }) => id)
      return mutex.runAll(ids, () => changeAll(workspace, decide, also))
    })

  return {
    updateWorkspaceWebhooks: (workspace, wish) =>
      change(workspace, (webhooks, instance) => {
        if (instance === undefined) return changeWebhooks(webhooks, wish, checkUrl)
        return named(instance, () => changeWebhooks(webhooks, wish, () => undefined))
      }),

    async rotateWorkspaceSecret(workspace, graceSeconds = 0) {
      const secret = newWebhookSecret()
      await change(
        workspace,
        (webhooks) => ({ ...webhooks, secret }),
        (record) => previousSecret(record, graceSeconds, clock.now()),
      )
      return secret
    },
  }
}
