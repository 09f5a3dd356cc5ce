/** Directory of instances, all in memory and written through. The main thread is the only writer of these records. */

import { randomUUID } from 'node:crypto'
import type { Account } from '../account/account.ts'
import { hashOf, isSameHash, newInstanceToken, newWebhookSecret } from '../account/credentials.ts'
import { type Clock, SECOND } from '../domain/clock.ts'
import { tidied } from '../domain/display-text.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { DEFAULT_SETTINGS, STATUSES, type Status } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import { onPage } from '../domain/page.ts'
import { renderRestriction } from '../domain/restriction.ts'
import { sentence } from '../domain/sentences.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { Oauth } from '../oauth/oauth.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { Directory, InstanceChange } from './directory.ts'
import { removeImportLeftovers } from './imports.ts'
import { type InstanceRecord, renderInstance, renderSettings } from './instance-object.ts'
import { archivedRecord, instanceRecords, toConfig, tokenTagOf } from './record.ts'
import { previousSecret, withNewSecret } from './secret-rotation.ts'
import { changeSettings } from './settings.ts'
import { createStates } from './states.ts'
import { createTakeOver } from './take-over.ts'
import { type CheckUrl, changeWebhooks } from './webhooks.ts'
import { createWorkspaceWebhooks, named, webhooksOf } from './workspace-webhooks.ts'

export interface DirectoryDeps {
  store: StateStore
  sealer: Sealer
  keyRing: Pick<KeyRing, 'make' | 'destroy' | 'of'>
  steps?: Steps
  account: Pick<Account, 'transact' | 'workspace' | 'refresh'>
  oauth: Pick<Oauth, 'endOf'>
  engine: Pick<Engine, 'start' | 'configure' | 'stop' | 'onEvent' | 'hasTold'>
  clock: Clock
  log: Log
  checkUrl: CheckUrl
  /** The same check for a proxy. */
  checkProxy: CheckUrl
  /** Base URL for callers, which events contain. */
  baseUrl?: string
  /** Makes the staged media of an instance from an archive its own. */
  adoptMedia?(instance: string): Promise<void>
  /** Time that a creation waits for the first QR code, in ms. */
  createWaitMs?: number
}

interface Held {
  record: InstanceRecord
  tokenHash: string
}

/** Key of the mutex for imported devices; other keys are ids of instances. */
const IMPORTS = 'imports'

/** Used for an unknown id, so that it takes the same time as a wrong token. */
const NOBODY = hashOf('')

export function createInstanceDirectory(deps: DirectoryDeps): Directory {
  const {
    store,
    sealer,
    keyRing,
    steps = () => {},
    account,
    oauth,
    engine,
    clock,
    log,
    checkUrl,
    checkProxy,
    baseUrl,
    createWaitMs = 10 * SECOND,
    adoptMedia = async () => {},
  } = deps
  /** Instances in the order of creation. */
  const instances = new Map<string, Held>()
  /** Ids by the hash of the current token. */
  const byTokenHash = new Map<string, string>()
  const records = instanceRecords(sealer)
  const states = createStates()
  const mutex = createKeyedMutex()
  const deleted: ((instance: string) => void)[] = []

  engine.onEvent((event) => {
    if (event.type === 'state' && instances.has(event.instance)) states.event(event.instance, event.state)
  })

  function hold(record: InstanceRecord) {
    const before = instances.get(record.id)
    const tokenHash = before?.record.token === record.token ? before.tokenHash : hashOf(record.token)
    if (before && before.tokenHash !== tokenHash) byTokenHash.delete(before.tokenHash)
    byTokenHash.set(tokenHash, record.id)
    instances.set(record.id, { record, tokenHash })
  }

  const callerOf = ({ id, workspace }: InstanceRecord) => ({
    instance: id as InstanceId,
    workspace: workspace as WorkspaceId,
  })

  function held(instance: string): InstanceRecord {
    const found = instances.get(instance)
    if (!found) throw new Failure('not_found', { message: 'No instance has this id.' })
    return found.record
  }

  function changed(record: InstanceRecord, change: InstanceChange, nested: boolean): InstanceRecord {
    const { name, settings, webhooks } = change
    return {
      ...record,
      name: name ?? record.name,
      settings: settings ? changeSettings(record.settings, settings, checkProxy, nested ? 'settings.' : '') : record.settings,
      webhooks: webhooks ? changeWebhooks(record.webhooks, webhooks, checkUrl, nested ? 'webhooks.' : '') : record.webhooks,
    }
  }

  /** Commits, then configures the shard. Runs under the mutex of the instance. */
  async function write(next: InstanceRecord): Promise<void> {
    const before = held(next.id)
    const record = { ...next, updatedAt: clock.now() }
    await store.commit({ ops: [records.encode(keys.config(record.id), record)] })
    hold(record)
    const { settings, webhooks, token } = before
    if (settings !== record.settings || webhooks !== record.webhooks || token !== record.token) await configure(record)
  }

  /** The change is already saved, and a shard that is down boots with it, so its absence is not a failure of the change. */
  async function configure(record: InstanceRecord): Promise<void> {
    try {
      await engine.configure(toConfig(record, baseUrl))
    } catch (err) {
      const isAbsent = err instanceof Failure && (err.code === 'engine_unavailable' || err.code === 'instance_not_found')
      if (!isAbsent) throw err
      log.warn({ err, instance_id: record.id }, 'the shard is down; a configuration change takes effect when it is back')
    }
  }

  async function change(instance: string, decide: (record: InstanceRecord) => InstanceRecord) {
    await mutex.run(instance, async () => write(decide(held(instance))))
  }

  const changeWorkspaceWebhooks = createWorkspaceWebhooks({
    account,
    mutex,
    clock,
    recordsOf: (workspace) => [...instances.values()].flatMap(({ record }) => (record.workspace === workspace ? [record] : [])),
    recordOf: (instance) => instances.get(instance)?.record,
    encode: (record) => records.encode(keys.config(record.id), record),
    hold,
    configure,
  })

  /** Never runs concurrently with a change of the workspace's webhooks, so the instance has either the old or the new values. */
  const insert = (workspace: WorkspaceId, make: () => InstanceRecord, extra: readonly Op[] = []): Promise<InstanceRecord> =>
    mutex.run(webhooksOf(workspace), async () => {
      const record = make()
      await insertRecord(workspace, record, extra)
      return record
    })

  async function insertRecord(workspace: WorkspaceId, record: InstanceRecord, extra: readonly Op[]): Promise<void> {
    await account.transact(workspace, (current) => {
      const { instanceSlots } = current.subscription
      if (current.instancesUsed >= instanceSlots)
        throw new Failure('instance_limit_reached', {
          details: { instance_slots: instanceSlots, instances_used: current.instancesUsed },
        })
      return {
        next: { ...current, instancesUsed: current.instancesUsed + 1 },
        ops: [records.encode(keys.config(record.id), record), ...extra],
        committed: () => hold(record),
      }
    })
  }

  /** Settings and webhooks that a new instance takes from its workspace. */
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
    adoptMedia,
    async insert({ id, workspace, name, token, from, archive }, extra) {
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
      await insert(workspace as WorkspaceId, make, extra)
    },
  })

  /** One commit removes the record, frees the slot and revokes the apps of the instance. */
  async function remove({ id, workspace }: InstanceRecord): Promise<void> {
    const apps = oauth.endOf({ instance: id })
    await account.transact(workspace as WorkspaceId, (current) => ({
      next: { ...current, instancesUsed: Math.max(0, current.instancesUsed - 1) },
      ops: [records.remove(keys.config(id)), ...apps.ops],
      committed() {
        apps.committed()
        byTokenHash.delete(instances.get(id)?.tokenHash ?? '')
        instances.delete(id)
        states.forget(id)
        for (const listener of deleted) listener(id)
      },
    }))
  }

  /**
   * The record is removed first; from then on the instance counts as deleted. If a kill or a crashed shard interrupts the rest, the next start
   * finishes it (`storage/erase.ts`). Without the key of the instance all its other data is unreadable, including old pages in the store.
   */
  async function end(record: InstanceRecord): Promise<void> {
    await remove(record)
    steps('delete:recorded')
    await engine.stop(record.id, 'erase').catch((err: unknown) => {
      log.warn({ err, instance_id: record.id }, 'the engine could not erase an instance; the next start will retry')
    })
    steps('delete:erased')
    await keyRing.destroy(record.id)
  }

  return {
    async load() {
      await removeImportLeftovers(store)
      const found: InstanceRecord[] = []
      for await (const { value } of records.list(store, keys.configs)) found.push(value)
      for (const record of found.sort((a, b) => a.createdAt - b.createdAt)) hold(record)
      return found.map((record) => toConfig(record, baseUrl))
    },

    takeImports: () =>
      mutex.run(IMPORTS, async () => {
        // A command may have created a workspace in the meantime.
        await account.refresh()
        return (await takeOver()).map((id) => toConfig(held(id), baseUrl))
      }),

    config: (instance) => toConfig(held(instance), baseUrl),

    observe(instance, state) {
      if (instances.has(instance)) states.answer(instance, state)
    },

    authenticate(instance, token) {
      const found = instances.get(instance)
      if (!isSameHash(hashOf(token), found?.tokenHash ?? NOBODY) || !found) return undefined
      return callerOf(found.record)
    },

    authenticateToken(token) {
      const hash = hashOf(token)
      const found = instances.get(byTokenHash.get(hash) ?? '')
      return found && isSameHash(found.tokenHash, hash) ? callerOf(found.record) : undefined
    },

    state: (instance) => states.get(instance),
    onDeleted: (listener) => void deleted.push(listener),

    countByStatus() {
      const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
      for (const instance of instances.keys()) counts[states.get(instance).status]++
      return counts
    },

    isStatusOfNow: engine.hasTold,

    status(instance) {
      const state = states.get(instance)
      const { status, phone, restriction } = state
      const connected = status === 'connected'
      const common = { status, phone, error: sentence(state), restriction: renderRestriction(restriction) }
      return { connected, smartphone_connected: connected, ...common }
    },

    render(instance, baseUrl) {
      const record = held(instance)
      const { subscription } = account.workspace(record.workspace as WorkspaceId)
      return renderInstance(record, states.get(instance), subscription, baseUrl)
    },

    async create(workspace, { name, settings = {}, webhooks: { own_secret: hasOwnSecret = false, ...webhooks } = {} }) {
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
        return changed(fresh, { settings, webhooks }, true)
      }
      // A refused creation creates no key.
      make()
      // The key is created before the record, because an instance without a key could not be hosted.
      await keyRing.make(id)
      steps('create:key')
      const record = await insert(workspace, make).catch(async (error) => {
        await keyRing.destroy(id)
        throw error
      })
      try {
        // A change of the whole workspace may have changed the record by now.
        states.answer(record.id, await engine.start(toConfig(held(record.id), baseUrl), 'create'))
      } catch (error) {
        await mutex.run(record.id, async () => {
          if (instances.has(record.id)) await end(held(record.id))
        })
        throw error
      }
      await states.opened(record.id, createWaitMs)
      return record.id as InstanceId
    },

    list(workspace, { status, exactly, q, ...query }) {
      const searched = (text: string) => tidied(text).toLowerCase()
      const wanted = q === undefined ? undefined : searched(q)
      const matches = ({ record }: Held) => {
        const state = states.get(record.id)
        if (record.workspace !== workspace) return false
        if (exactly !== undefined && state.status !== exactly) return false
        if (status !== undefined && (state.status === 'connected') !== (status === 'connected')) return false
        return wanted === undefined || [record.name, record.id, state.phone ?? ''].some((text) => searched(text).includes(wanted))
      }
      const found = [...instances.values()].filter(matches).reverse()
      return { ids: onPage(found, query).map(({ record }) => record.id as InstanceId), total: found.length }
    },

    find(workspace, id) {
      if (held(id).workspace !== workspace) throw new Failure('not_found', { message: 'No instance has this id.' })
      return id as InstanceId
    },

    update: (instance, wish, paths = 'flat') => change(instance, (record) => changed(record, wish, paths === 'nested')),

    delete: (instance) =>
      mutex.run(instance, async () => {
        await end(held(instance))
      }),

    async rotateToken(instance) {
      const token = newInstanceToken()
      await change(instance, (record) => ({ ...record, token }))
      return token
    },

    async rotateSecret(instance, graceSeconds = 0) {
      const secret = newWebhookSecret()
      await change(instance, (record) => withNewSecret(record, secret, graceSeconds, clock.now()))
      return secret
    },

    updateWorkspaceWebhooks: (workspace, wish) =>
      changeWorkspaceWebhooks(workspace, (webhooks, instance) => {
        if (instance === undefined) return changeWebhooks(webhooks, wish, checkUrl)
        // The URLs were already checked once, for the workspace.
        return named(instance, () => changeWebhooks(webhooks, wish, () => undefined))
      }),

    async rotateWorkspaceSecret(workspace, graceSeconds = 0) {
      const secret = newWebhookSecret()
      await changeWorkspaceWebhooks(
        workspace,
        (webhooks) => ({ ...webhooks, secret }),
        (record) => previousSecret(record, graceSeconds, clock.now()),
      )
      return secret
    },

    tokenTagOf(instance) {
      const found = instances.get(instance)
      return found && tokenTagOf(found.record.token)
    },

    proxyOf: (instance) => instances.get(instance)?.record.settings.proxy_url,
    dialect: (instance) => instances.get(instance)?.record.settings.dialect ?? null,
    settings: (instance) => renderSettings(held(instance).settings),
    webhooks: (instance) => held(instance).webhooks,
  }
}
