import type { Clock } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { orLate } from '../lib/deadline.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { StateStore } from '../storage/contract.ts'
import { createLatestUses } from '../storage/latest-uses.ts'
import type { MainRecords, Memory, StoredRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { Account } from './account.ts'
import { checkGivenAdminKey, createAdminKeys } from './admin-keys.ts'
import { createApiKeys } from './api-keys.ts'
import { createHeldWorkspaces } from './held-workspaces.ts'
import { newWorkspace } from './new-workspace.ts'
import { keyRecords, type StoredWorkspace, workspaceRecords } from './records.ts'
import { securityAfter } from './security.ts'
import { subscriptionAfter } from './subscription.ts'

export interface AccountDeps {
  main: MainRecords
  store: Pick<StateStore, 'range' | 'commit'>
  sealer: Sealer
  clock: Clock
  log: Log
  /** Admin key of the oldest workspace, from the environment. If null, the first start creates one. */
  adminKey: string | null
  /** Maximum number of instances of a workspace without a limit of its own; null keeps the current limits. */
  instanceSlots: number | null
}

/** Maximum time in ms for which a request with an unknown credential waits for the changes of other services. */
const MAX_CATCH_UP = 1_000

export function createStoredAccount({ main, store, sealer, clock, log, adminKey, instanceSlots }: AccountDeps): Account {
  const mutex = createKeyedMutex()
  const workspaces = createHeldWorkspaces(main, workspaceRecords(sealer))
  const keyRecord = keyRecords(sealer)
  const { change } = workspaces

  const transact: Account['transact'] = (workspace, decide) => mutex.run(workspace, () => change(workspace, decide))
  const uses = createLatestUses({ store, prefix: keys.apiKeyUses, sealer })
  const apiKeys = createApiKeys({ uses, isShared: main.isShared, records: keyRecord, clock, log, transact, inTurn: mutex.run })

  const partOf = (key: string): Memory => (key.endsWith(':self') ? workspaces : apiKeys)
  const memory: Memory = {
    put: (key, bytes, isOwn) => partOf(key).put(key, bytes, isOwn),
    remove: (key, isOwn) => partOf(key).remove(key, isOwn),
  }

  function fill(found: StoredRecords) {
    const inOrder = found
      .filter(([key]) => partOf(key) === apiKeys)
      .map(([key, bytes]) => ({ key, bytes, at: keyRecord.decode(key, bytes).createdAt }))
      .sort((one, other) => one.at - other.at)
    for (const [key, bytes] of found) if (partOf(key) === workspaces) workspaces.put(key, bytes)
    for (const { key, bytes } of inOrder) apiKeys.put(key, bytes)
  }

  const makeDefault = () =>
    workspaces.addFirst(newWorkspace({ name: 'default', now: clock.now(), adminKeyHash: null, instanceSlots }))

  async function followSlots({ id, hasOwnSlots, subscription }: StoredWorkspace): Promise<void> {
    if (instanceSlots === null || hasOwnSlots || subscription.instanceSlots === instanceSlots) return
    await change(id, (current) => ({ next: { ...current, subscription: { ...current.subscription, instanceSlots } }, ops: [] }))
  }

  const { put: _, remove: __, isThere: ___, ...keyPart } = apiKeys
  const { follow, ...adminPart } = createAdminKeys({ workspaces, mutex, given: adminKey })
  return {
    ...keyPart,
    ...adminPart,

    async load() {
      checkGivenAdminKey(adminKey)
      await uses.read()
      await main.load('account', memory, fill)
      await uses
        .removeOthers(apiKeys.isThere)
        .catch((err: unknown) => log.error({ err }, 'notes about the last use of revoked API keys could not be removed'))
      if (workspaces.all().length === 0) await makeDefault()
      for (const workspace of workspaces.all()) await followSlots(workspace)
      await follow()
    },

    workspace: workspaces.get,
    isShared: main.isShared,
    refresh: main.refresh,
    // If the database does not answer in time, a credential that is unknown in memory is refused without its answer.
    catchUp: () =>
      orLate(
        main.catchUp().catch(() => {}),
        MAX_CATCH_UP,
        () => {},
      ),

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
    settled: (workspace) => mutex.run(workspace, async () => {}),
    stop: () => mutex.idle(),
  }
}
