/** All instances are kept in memory, and each change is also stored. */

import type { Account } from '../account/account.ts'
import { newInstanceToken, newWebhookSecret } from '../account/credentials.ts'
import { type Clock, SECOND } from '../domain/clock.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { Oauth } from '../oauth/oauth.ts'
import type { StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import type { MainRecords, Memory, StoredRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { createChanges } from './changes.ts'
import { createCreation } from './creation.ts'
import { createDeletion } from './deletion.ts'
import type { Directory } from './directory.ts'
import { createHeldInstances } from './held-instances.ts'
import { removeImportLeftovers } from './imports.ts'
import { type Checks, changedRecord } from './instance-change.ts'
import { createReads } from './reads.ts'
import { instanceRecords, toConfig } from './record.ts'
import { withNewSecret } from './secret-rotation.ts'
import { createStates } from './states.ts'
import type { ImportedMedia } from './take-over.ts'
import { createWorkspaceWebhooks } from './workspace-webhooks.ts'

export interface DirectoryDeps extends Checks {
  store: StateStore
  main: MainRecords
  sealer: Sealer
  keyRing: Pick<KeyRing, 'make' | 'destroy' | 'of' | 'unfinished' | 'learn' | 'forget'>
  steps?: Steps
  account: Pick<Account, 'transact' | 'workspace' | 'refresh'>
  oauth: Pick<Oauth, 'endOf'>
  engine: Pick<Engine, 'start' | 'configure' | 'stop' | 'onEvent' | 'hasTold'>
  clock: Clock
  log: Log
  baseUrl?: string
  importedMedia?: ImportedMedia
  /** Milliseconds that a creation waits for the first QR code. */
  createWaitMs?: number
}

/** Name of the mutex for imports of devices. The ids of instances and workspaces name the other mutexes. */
const IMPORTS = 'imports'

const NO_KEY = 'the key of an instance that another service has created could not be read'
const NOT_CONFIGURED = 'a changed configuration could not be passed on to its shard'

const NO_MEDIA: ImportedMedia = { adopt: async () => {}, dropStaged: async () => {}, dropAdopted: async () => {} }

export function createInstanceDirectory(deps: DirectoryDeps): Directory {
  const { store, account, engine, clock, baseUrl, createWaitMs = 10 * SECOND } = deps
  const held = createHeldInstances()
  const records = instanceRecords(deps.sealer)
  const states = createStates()
  const mutex = createKeyedMutex()
  const deleted: ((instance: string) => void)[] = []
  const parts = {
    ...deps,
    steps: deps.steps ?? (() => {}),
    importedMedia: deps.importedMedia ?? NO_MEDIA,
    baseUrl,
    records,
    held,
    states,
    mutex,
  }

  engine.onEvent((event) => {
    if (event.type === 'state' && held.find(event.instance)) states.event(event.instance, event.state)
  })

  const { change, configure } = createChanges(parts)
  const creation = createCreation(parts)
  const end = createDeletion(parts)

  /** It waits for its turn, so that an older configuration never follows a newer one. */
  function configureLater(instance: string) {
    mutex
      .run(instance, async () => {
        const record = held.find(instance)
        if (record) await configure(record)
      })
      .catch((err: unknown) => deps.log.error({ err, instance_id: instance }, NOT_CONFIGURED))
  }

  async function learnKey(instance: string): Promise<void> {
    try {
      await deps.keyRing.learn(instance)
    } catch (err) {
      // The other service may have deleted the instance since.
      await deps.main.catchUp().catch(() => {})
      if (held.find(instance)) deps.log.error({ err, instance_id: instance }, NO_KEY)
    }
    if (!held.find(instance)) deps.keyRing.forget(instance)
  }

  const memory: Memory = {
    put(key, bytes, isOwn) {
      const record = records.decode(key, bytes)
      const isKnown = held.find(record.id) !== undefined
      held.hold(record)
      if (isOwn) return
      if (isKnown) configureLater(record.id)
      else void learnKey(record.id)
    },
    remove(key, isOwn) {
      const instance = key.slice(keys.configs.length)
      // The key of an instance that this service deletes is destroyed after its data.
      if (!isOwn) deps.keyRing.forget(instance)
      if (held.find(instance) === undefined) return
      held.forget(instance)
      states.forget(instance)
      for (const listener of deleted) listener(instance)
    },
    // The instance still exists, so its links and streams stay.
    unreadable(key) {
      held.forget(key.slice(keys.configs.length))
    },
  }

  function fill(found: StoredRecords) {
    const stored = found.map(([key, bytes]) => records.decode(key, bytes))
    for (const record of stored.sort((one, other) => one.createdAt - other.createdAt)) held.hold(record)
  }

  return {
    ...createReads(parts),
    ...createWorkspaceWebhooks({ ...parts, configure }),
    onDeleted: (listener) => void deleted.push(listener),

    observe(instance, state) {
      if (held.find(instance)) states.answer(instance, state)
    },

    async load() {
      await removeImportLeftovers(store)
      await deps.main.load('configs', memory, fill)
      return [...held.ids()].map((id) => toConfig(held.get(id), baseUrl))
    },

    takeImports: () =>
      mutex.run(IMPORTS, async () => {
        await account.refresh()
        return (await creation.takeOver()).map((id) => toConfig(held.get(id), baseUrl))
      }),

    async create(workspace, wish) {
      const { id } = await creation.add(workspace, wish)
      try {
        // A change of the webhooks of the whole workspace may have changed the record.
        states.answer(id, await engine.start(toConfig(held.get(id), baseUrl), 'create'))
      } catch (error) {
        await mutex.run(id, async () => {
          if (held.find(id)) await end(held.get(id))
        })
        throw error
      }
      await states.opened(id, createWaitMs)
      return id as InstanceId
    },

    update: (instance, wish, paths = 'flat') => change(instance, (record) => changedRecord(record, wish, deps, paths)),

    delete: (instance) =>
      mutex.run(instance, async () => {
        await end(held.get(instance))
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
  }
}
