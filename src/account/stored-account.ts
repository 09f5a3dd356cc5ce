import type { Clock } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { Account } from './account.ts'
import { checkGivenAdminKey, createAdminKeys } from './admin-keys.ts'
import { createApiKeys } from './api-keys.ts'
import { createHeldWorkspaces } from './held-workspaces.ts'
import { newWorkspace } from './new-workspace.ts'
import { keyRecords, type StoredKey, type StoredWorkspace, workspaceRecords } from './records.ts'
import { securityAfter } from './security.ts'
import { subscriptionAfter } from './subscription.ts'

export interface AccountDeps {
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Log
  /** Admin key of the workspace `default` from the environment. If null, the first start creates one. */
  adminKey: string | null
  /** Number of instances for every workspace without its own number; null keeps the current numbers. */
  instanceSlots: number | null
}

export function createStoredAccount({ store, sealer, clock, log, adminKey, instanceSlots }: AccountDeps): Account {
  const mutex = createKeyedMutex()
  const workspaces = createHeldWorkspaces(store, workspaceRecords(sealer))
  const keyRecord = keyRecords(sealer)
  const { change } = workspaces

  const transact: Account['transact'] = (workspace, decide) => mutex.run(workspace, () => change(workspace, decide))
  const apiKeys = createApiKeys({ store, records: keyRecord, clock, log, transact, inTurn: mutex.run })

  async function read(): Promise<void> {
    const found: StoredKey[] = []
    for await (const [key, bytes] of store.range(keys.workspaces)) {
      if (key.endsWith(':self')) workspaces.hold(key, bytes)
      else found.push(keyRecord.decode(key, bytes))
    }
    for (const key of found.sort((a, b) => a.createdAt - b.createdAt)) apiKeys.remember(key)
  }

  async function makeDefault(): Promise<void> {
    const record = newWorkspace({ name: 'default', now: clock.now(), adminKeyHash: null, instanceSlots })
    if (!(await workspaces.write(record))) throw new Error('the first workspace could not be written')
  }

  async function followSlots({ id, hasOwnSlots, subscription }: StoredWorkspace): Promise<void> {
    if (instanceSlots === null || hasOwnSlots || subscription.instanceSlots === instanceSlots) return
    await change(id, (current) => ({ next: { ...current, subscription: { ...current.subscription, instanceSlots } }, ops: [] }))
  }

  const { remember: _, ...keyPart } = apiKeys
  const { follow, ...adminPart } = createAdminKeys({ workspaces, mutex, given: adminKey })
  return {
    ...keyPart,
    ...adminPart,

    async load() {
      checkGivenAdminKey(adminKey)
      await read()
      if (workspaces.all().length === 0) await makeDefault()
      for (const workspace of workspaces.all()) await followSlots(workspace)
      await follow()
    },

    workspace: workspaces.get,
    refresh: workspaces.refresh,

    update: (workspace, { name, dialect }) =>
      transact(workspace, (current) => ({
        next: { ...current, name: name ?? current.name, dialect: dialect === undefined ? current.dialect : dialect },
        ops: [],
      })),

    changeSubscription: (workspace, wish) =>
      mutex.run(workspace, () =>
        change(workspace, ({ subscription, hasOwnSlots }) => ({
          // A number that an operator set for one workspace overrides SVC_INSTANCE_SLOTS.
          next: {
            subscription: subscriptionAfter(subscription, wish),
            hasOwnSlots: hasOwnSlots || wish.instanceSlots !== undefined,
          },
          ops: [],
        })),
      ),

    changeSecurity: (workspace, wish) =>
      transact(workspace, (current) => ({
        next: { ...current, security: securityAfter(current.security, wish, apiKeys.operateKeys(workspace)) },
        ops: [],
      })),

    transact,
    stop: () => mutex.idle(),
  }
}
