/**
 * Workspaces and API keys: in memory as a whole, written through. The main thread is their only writer; still every change of a
 * workspace carries a guard on its record, so that a command run beside the service (a new admin key) cannot be undone by it.
 */
import { randomUUID } from 'node:crypto'
import { ADMIN_KEY_PREFIX, API_KEY_PREFIX } from '../domain/brand.ts'
import { type Clock, MINUTE } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Workspace } from '../domain/workspace.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { idsUnder } from '../storage/ids-under.ts'
import { keys } from '../storage/keys.ts'
import type { Sealer } from '../storage/seal.ts'
import type { Account } from './account.ts'
import { newWorkspace } from './new-workspace.ts'
import { keyRecords, type StoredKey, type StoredWorkspace, workspaceRecords } from './records.ts'
import { hashOf, isAdminKey, isSameHash, newAdminKey, newApiKey } from './secrets.ts'

export interface AccountDeps {
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Log
  /** From the environment: it then owns the admin key of the workspace `default`. Null: one is made at the first start. */
  adminKey: string | null
  /** Slots of every workspace that was given no number of its own; null: each keeps what it has. */
  instanceSlots: number | null
}

/** Last use is written at most this often per key. */
const USE_INTERVAL = MINUTE
/** Another writer of the same workspace is an operator at a prompt: nobody loses three times in a row. */
const ATTEMPTS = 3

interface Held {
  record: StoredWorkspace
  /** As stored: what the guard compares. */
  bytes: Uint8Array
}

const operates = (key: StoredKey) => key.scopes.includes('instances:operate')

export function createAccount({ store, sealer, clock, log, adminKey, instanceSlots }: AccountDeps): Account {
  const workspaces = new Map<string, Held>()
  /** By id, in order of creation. */
  const apiKeys = new Map<string, StoredKey>()
  const byHash = new Map<string, StoredKey>()
  const mutex = createKeyedMutex()
  const records = workspaceRecords(sealer)
  const keyRecord = keyRecords(sealer)
  const held = (id: string): Held => {
    const found = workspaces.get(id)
    if (!found) throw new Failure('internal', { message: `There is no workspace ${id}.` })
    return found
  }

  function remember(key: StoredKey) {
    apiKeys.set(key.id, key)
    byHash.set(key.hash, key)
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
    // What was written here meanwhile is newer than what was read.
    if (!bytes || workspaces.get(id) !== before) return
    if (before && Buffer.compare(before.bytes, bytes) === 0) return
    workspaces.set(id, { record: records.decode(key, bytes), bytes })
  }

  /** Runs inside the workspace's turn. */
  async function change(
    id: string,
    decide: (current: StoredWorkspace) => { next?: Workspace; ops: readonly Op[] },
  ): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      // What a command has written beside the service decides, too.
      await reload(id)
      const current = held(id)
      const { next, ops } = decide(current.record)
      if (await write(current, { ...current.record, ...next }, ops)) return
    }
    throw new Failure('internal', { message: 'The workspace is being changed by somebody else.' })
  }

  async function read(): Promise<void> {
    const found: StoredKey[] = []
    for await (const [key, bytes] of store.range(keys.workspaces)) {
      if (key.endsWith(':self')) {
        const record = records.decode(key, bytes)
        workspaces.set(record.id, { record, bytes })
      } else found.push(keyRecord.decode(key, bytes))
    }
    for (const key of found.sort((a, b) => a.createdAt - b.createdAt)) remember(key)
  }

  async function makeDefault(): Promise<void> {
    const record = newWorkspace({ name: 'default', now: clock.now(), adminKeyHash: null, instanceSlots })
    if (!(await write(undefined, record, []))) throw new Error('the first workspace could not be written')
  }

  async function followSlots({ id, hasOwnSlots, subscription }: StoredWorkspace): Promise<void> {
    if (instanceSlots === null || hasOwnSlots || subscription.instanceSlots === instanceSlots) return
    await change(id, (current) => ({ next: { ...current, subscription: { ...current.subscription, instanceSlots } }, ops: [] }))
  }

  /** The workspace that the first start made. */
  const oldest = () => [...workspaces.values()].sort((a, b) => a.record.createdAt - b.record.createdAt)[0]!

  async function setAdminKey(current: Held, value: string): Promise<void> {
    const adminKeyHash = hashOf(value)
    if (current.record.adminKeyHash === adminKeyHash) return
    if (!(await write(current, { ...current.record, adminKeyHash }, []))) throw new Error('the admin key could not be written')
  }

  function keysOf(workspace: string): StoredKey[] {
    return [...apiKeys.values()].filter((key) => key.workspace === workspace)
  }

  return {
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

    findApiKey(value) {
      const hash = hashOf(value)
      const key = byHash.get(hash)
      return key && isSameHash(key.hash, hash) ? key : undefined
    },

    findAdmin(value) {
      const hash = hashOf(value)
      // Every workspace is compared, so that the time says nothing about which one it was.
      const found = [...workspaces.values()].filter(
        ({ record: { adminKeyHash } }) => adminKeyHash !== null && isSameHash(adminKeyHash, hash),
      )
      return found[0]?.record.id as WorkspaceId | undefined
    },

    async refresh() {
      for (const id of await idsUnder(store, keys.workspaces)) await reload(id)
    },

    used({ id }, ip) {
      const key = apiKeys.get(id)
      const now = clock.now()
      if (!key || (key.lastUsedAt !== null && now - key.lastUsedAt < USE_INTERVAL)) return
      const next: StoredKey = { ...key, lastUsedAt: now, lastUsedIp: ip }
      remember(next)
      // In the key's workspace's turn, so that it cannot bring back a key that is revoked meanwhile.
      mutex
        .run(key.workspace, async () => {
          if (apiKeys.has(id)) await store.commit({ ops: [keyRecord.encode(keys.apiKey(key.workspace, id), next)] })
        })
        .catch((err: unknown) => log.error({ err, api_key_id: id }, 'the last use of an API key could not be written'))
    },

    async createApiKey(workspace, { name, scopes }) {
      const value = newApiKey()
      const key: StoredKey = {
        id: randomUUID(),
        workspace,
        name,
        scopes,
        hint: `${API_KEY_PREFIX}…${value.slice(-4)}`,
        kind: 'api_key',
        hash: hashOf(value),
        createdAt: clock.now(),
        lastUsedAt: null,
        lastUsedIp: null,
      }
      await mutex.run(workspace, async () => {
        await change(workspace, () => {
          if (keysOf(workspace).some((other) => other.name === name))
            throw Failure.invalid({ path: 'name', message: 'is the name of another API key' })
          return { ops: [keyRecord.encode(keys.apiKey(workspace, key.id), key)] }
        })
        remember(key)
      })
      return { key, value }
    },

    listApiKeys: (workspace) => keysOf(workspace).reverse(),

    async revokeApiKey(workspace, id) {
      await mutex.run(workspace, async () => {
        const key = apiKeys.get(id)
        if (!key || key.workspace !== workspace) throw new Failure('not_found', { message: 'No API key has this id.' })
        await change(workspace, ({ security }) => {
          const isLast = operates(key) && keysOf(workspace).filter(operates).length === 1
          if (isLast && (security.requireApiKey || security.requireClientToken))
            throw new Failure('not_allowed', {
              message: 'It is the last key with instances:operate, and the workspace requires one.',
            })
          return { ops: [keyRecord.remove(keys.apiKey(workspace, id))] }
        })
        apiKeys.delete(id)
        byHash.delete(key.hash)
      })
    },

    transact: (workspace, decide) => mutex.run(workspace, () => change(workspace, decide)),

    stop: () => mutex.idle(),
  }
}
