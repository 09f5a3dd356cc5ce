/**
 * Workspaces, all in memory and written through. The main thread is their only writer. Still, every change of a workspace has a guard on its record,
 * so that it cannot overwrite the result of an operator command (a new admin key).
 */
import { ADMIN_KEY_PREFIX } from '../domain/brand.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { idsUnder } from '../storage/ids-under.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { Account, Decision } from './account.ts'
import { createApiKeys } from './api-keys.ts'
import { hashOf, isAdminKey, isSameHash, newAdminKey } from './credentials.ts'
import { newWorkspace } from './new-workspace.ts'
import { keyRecords, type StoredKey, type StoredWorkspace, workspaceRecords } from './records.ts'
import { securityAfter } from './security.ts'
import { subscriptionAfter } from './subscription.ts'

export interface AccountDeps {
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Log
  /** Admin key of the workspace `default` from the environment, which then owns the key. If null, one is created at the first start. */
  adminKey: string | null
  /** Slots of every workspace without its own number; null: each keeps its current number. */
  instanceSlots: number | null
}

/** The only other writer of a workspace is an operator at a prompt, so three conflicts in a row do not happen. */
const ATTEMPTS = 3

interface Held {
  record: StoredWorkspace
  /** Stored bytes, which the guard compares. */
  bytes: Uint8Array
}

export function createStoredAccount({ store, sealer, clock, log, adminKey, instanceSlots }: AccountDeps): Account {
  const workspaces = new Map<string, Held>()
  const mutex = createKeyedMutex()
  const records = workspaceRecords(sealer)
  const keyRecord = keyRecords(sealer)
  const held = (id: string): Held => {
    const found = workspaces.get(id)
    if (!found) throw new Failure('internal', { message: `There is no workspace ${id}.` })
    return found
  }

  async function write(current: Held | undefined, next: StoredWorkspace, ops: readonly Op[]): Promise<boolean> {
    const key = keys.workspace(next.id)
    const op = records.encode(key, next)
    const done = await store.commit({ guard: { key, equals: current?.bytes ?? null }, ops: [op, ...ops] })
    if (done) workspaces.set(next.id, { record: next, bytes: op[1]! })
    return done
  }

  async function reload(id: string): Promise<void> {
    const key = keys.workspace(id)
    const before = workspaces.get(id)
    const bytes = await store.get(key)
    // A change that this process wrote in the meantime is newer than the record that was read.
    if (!bytes || workspaces.get(id) !== before) return
    if (before && Buffer.compare(before.bytes, bytes) === 0) return
    workspaces.set(id, { record: records.decode(key, bytes), bytes })
  }

  /** Runs while no other change of the workspace runs. */
  async function change<N extends object>(
    id: string,
    decide: (current: StoredWorkspace) => Omit<Decision, 'next'> & { next?: N },
  ): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      // A record that a command has written is read before the decision.
      await reload(id)
      const current = held(id)
      const { next, ops, committed = () => {} } = decide(current.record)
      if (await write(current, { ...current.record, ...next }, ops)) return committed()
    }
    throw new Failure('internal', { message: 'Other requests are changing the workspace; try again.' })
  }

  const transact: Account['transact'] = (workspace, decide) => mutex.run(workspace, () => change(workspace, decide))
  const apiKeys = createApiKeys({ store, records: keyRecord, clock, log, transact, inTurn: mutex.run })

  async function read(): Promise<void> {
    const found: StoredKey[] = []
    for await (const [key, bytes] of store.range(keys.workspaces)) {
      if (key.endsWith(':self')) {
        const record = records.decode(key, bytes)
        workspaces.set(record.id, { record, bytes })
      } else found.push(keyRecord.decode(key, bytes))
    }
    for (const key of found.sort((a, b) => a.createdAt - b.createdAt)) apiKeys.remember(key)
  }

  async function makeDefault(): Promise<void> {
    const record = newWorkspace({ name: 'default', now: clock.now(), adminKeyHash: null, instanceSlots })
    if (!(await write(undefined, record, []))) throw new Error('the first workspace could not be written')
  }

  async function followSlots({ id, hasOwnSlots, subscription }: StoredWorkspace): Promise<void> {
    if (instanceSlots === null || hasOwnSlots || subscription.instanceSlots === instanceSlots) return
    await change(id, (current) => ({ next: { ...current, subscription: { ...current.subscription, instanceSlots } }, ops: [] }))
  }

  /** Workspace of the first start. */
  const oldest = () => [...workspaces.values()].sort((a, b) => a.record.createdAt - b.record.createdAt)[0]!

  const isGiven = (id: string) => adminKey !== null && oldest().record.id === id

  async function setAdminKey(current: Held, value: string): Promise<void> {
    const adminKeyHash = hashOf(value)
    if (current.record.adminKeyHash === adminKeyHash) return
    if (!(await write(current, { ...current.record, adminKeyHash }, []))) throw new Error('the admin key could not be written')
  }

  const { remember: _, ...keyPart } = apiKeys
  return {
    ...keyPart,

    async load() {
      if (adminKey !== null && !isAdminKey(adminKey))
        throw new Error(`the admin key must be ${ADMIN_KEY_PREFIX} and 48 lower-case hexadecimal digits`)
      await read()
      if (workspaces.size === 0) await makeDefault()
      for (const { record } of [...workspaces.values()]) await followSlots(record)
      // The environment owns the key.
      if (adminKey !== null) await setAdminKey(oldest(), adminKey)
    },

    async firstStart() {
      const first = oldest()
      if (first.record.adminKeyHash !== null) return null
      const value = newAdminKey()
      await setAdminKey(first, value)
      return value
    },

    workspace: (id) => held(id).record,

    findAdmin(value) {
      const hash = hashOf(value)
      // Every workspace is compared, so that the time does not reveal which one matched.
      const found = [...workspaces.values()].filter(
        ({ record: { adminKeyHash } }) => adminKeyHash !== null && isSameHash(adminKeyHash, hash),
      )
      return found[0]?.record.id as WorkspaceId | undefined
    },

    adminKeyTag(workspace) {
      const { adminKeyHash } = held(workspace).record
      return adminKeyHash === null ? undefined : hashOf(adminKeyHash)
    },

    hasGivenAdminKey: isGiven,

    async refresh() {
      for (const id of await idsUnder(store, keys.workspaces)) await reload(id)
    },

    update: (workspace, { name, dialect }) =>
      transact(workspace, (current) => ({
        next: { ...current, name: name ?? current.name, dialect: dialect === undefined ? current.dialect : dialect },
        ops: [],
      })),

    changeSubscription: (workspace, wish) =>
      mutex.run(workspace, () =>
        change(workspace, ({ subscription, hasOwnSlots }) => ({
          // A number that is set this way stays, whatever SVC_INSTANCE_SLOTS says.
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

    async rotateAdminKey(workspace, also = { ops: [] }) {
      // Hash of the key that authorized the request.
      const before = held(workspace).record.adminKeyHash
      const value = newAdminKey()
      await mutex.run(workspace, () =>
        change(workspace, ({ id, adminKeyHash }) => {
          if (isGiven(id))
            throw new Failure('not_allowed', {
              message: 'SVC_ADMIN_KEY is set, so the environment owns the admin key; change it there.',
            })
          if (adminKeyHash !== before) throw new Failure('api_key_required')
          return { next: { adminKeyHash: hashOf(value) }, ...also }
        }),
      )
      return value
    },

    transact,
    stop: () => mutex.idle(),
  }
}
