/** Directory of instances, all in memory and written through. The main thread is the only writer of these records. */

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
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { createChanges } from './changes.ts'
import { createCreation } from './creation.ts'
import { createDeletion } from './deletion.ts'
import type { Directory, InstanceChange } from './directory.ts'
import { createHeldInstances } from './held-instances.ts'
import { removeImportLeftovers } from './imports.ts'
import type { InstanceRecord } from './instance-object.ts'
import { createReads } from './reads.ts'
import { instanceRecords, toConfig } from './record.ts'
import { previousSecret, withNewSecret } from './secret-rotation.ts'
import { changeSettings } from './settings.ts'
import { createStates } from './states.ts'
import type { ImportedMedia } from './take-over.ts'
import { type CheckUrl, changeWebhooks } from './webhooks.ts'
import { createWorkspaceWebhooks, named } from './workspace-webhooks.ts'

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
  /** Checks the URL of a proxy by the rules of `checkUrl`. */
  checkProxy: CheckUrl
  /** Base URL for callers, which events contain. */
  baseUrl?: string
  importedMedia?: ImportedMedia
  /** Time that a creation waits for the first QR code, in ms. */
  createWaitMs?: number
}

/** Key of the mutex for imported devices; other keys are ids of instances. */
const IMPORTS = 'imports'

const NO_MEDIA: ImportedMedia = { adopt: async () => {}, dropStaged: async () => {}, dropAdopted: async () => {} }

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
    importedMedia = NO_MEDIA,
  } = deps
  const held = createHeldInstances()
  const records = instanceRecords(sealer)
  const states = createStates()
  const mutex = createKeyedMutex()
  const deleted: ((instance: string) => void)[] = []

  engine.onEvent((event) => {
    if (event.type === 'state' && held.find(event.instance)) states.event(event.instance, event.state)
  })

  function changed(record: InstanceRecord, change: InstanceChange, nested: boolean): InstanceRecord {
    const { name, settings, webhooks } = change
    return {
      ...record,
      name: name ?? record.name,
      settings: settings ? changeSettings(record.settings, settings, checkProxy, nested ? 'settings.' : '') : record.settings,
      webhooks: webhooks ? changeWebhooks(record.webhooks, webhooks, checkUrl, nested ? 'webhooks.' : '') : record.webhooks,
    }
  }

  const { change, configure } = createChanges({ store, records, held, mutex, engine, clock, log, baseUrl })

  const changeWorkspaceWebhooks = createWorkspaceWebhooks({
    account,
    mutex,
    clock,
    recordsOf: held.of,
    recordOf: held.find,
    encode: (record) => records.encode(keys.config(record.id), record),
    hold: held.hold,
    configure,
  })

  const creation = createCreation({
    store,
    sealer,
    records,
    held,
    mutex,
    account,
    keyRing,
    steps,
    clock,
    log,
    importedMedia,
    changed: (record, wish) => changed(record, wish, true),
  })

  const end = createDeletion({
    records,
    held,
    account,
    oauth,
    engine,
    keyRing,
    steps,
    log,
    removed(instance) {
      states.forget(instance)
      for (const listener of deleted) listener(instance)
    },
  })

  return {
    ...createReads({ held, states, account, engine, baseUrl }),
    onDeleted: (listener) => void deleted.push(listener),

    observe(instance, state) {
      if (held.find(instance)) states.answer(instance, state)
    },

    async load() {
      await removeImportLeftovers(store)
      const found: InstanceRecord[] = []
      for await (const { value } of records.list(store, keys.configs)) found.push(value)
      for (const record of found.sort((a, b) => a.createdAt - b.createdAt)) held.hold(record)
      return found.map((record) => toConfig(record, baseUrl))
    },

    takeImports: () =>
      mutex.run(IMPORTS, async () => {
        // A command may have created a workspace in the meantime.
        await account.refresh()
        return (await creation.takeOver()).map((id) => toConfig(held.get(id), baseUrl))
      }),

    async create(workspace, wish) {
      const { id } = await creation.add(workspace, wish)
      try {
        // A change of the whole workspace may have changed the record by now.
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

    update: (instance, wish, paths = 'flat') => change(instance, (record) => changed(record, wish, paths === 'nested')),

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
  }
}
