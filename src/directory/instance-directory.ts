/** The directory of instances. It keeps all instances in memory, and stores each change. */

import type { Account } from '../account/account.ts'
import { newInstanceToken, newWebhookSecret } from '../account/credentials.ts'
import { type Clock, SECOND } from '../domain/clock.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { InstanceConfig } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { Oauth } from '../oauth/oauth.ts'
import { isAlone } from '../storage/beside-members.ts'
import type { StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { OpenParts } from '../storage/store-backend.ts'
import { createChanges } from './changes.ts'
import { createCreation } from './creation.ts'
import { createDeletion } from './deletion.ts'
import type { Directory } from './directory.ts'
import { createErasures } from './erasures.ts'
import { createFollowedInstances } from './followed-instances.ts'
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
  store: StateStore & Pick<OpenParts, 'homes' | 'members'>
  main: MainRecords
  sealer: Sealer
  keyRing: Pick<KeyRing, 'make' | 'destroy' | 'of' | 'learn' | 'forget'>
  steps?: Steps
  account: Pick<Account, 'transact' | 'workspace' | 'refresh'>
  oauth: Pick<Oauth, 'endOf'>
  engine: Pick<Engine, 'start' | 'configure' | 'stop' | 'onEvent' | 'hasTold' | 'stateOf'>
  clock: Clock
  log: Log
  baseUrl?: string
  importedMedia?: ImportedMedia
  /** This service as a member of a cluster. Undefined if no other service on the store has instances. */
  cluster?: ClusterPart | undefined
  /** Milliseconds that a creation waits for the first QR code. */
  createWaitMs?: number
}

/** This service as one of several that have instances. */
export interface ClusterPart {
  /** Whether this service may write the records of the instance. */
  isHome(instance: string): boolean
  /** Milliseconds after which an instance that another service has deleted is erased here; 3,000 by default. */
  eraseAfterMs?: number
}

/** Name of the mutex for imports of devices. The other names are ids of instances and those of `webhooksOf`. */
const IMPORTS = 'imports'

const NO_MEDIA: ImportedMedia = { adopt: async () => {}, dropStaged: async () => {}, dropAdopted: async () => {} }

export function createInstanceDirectory(deps: DirectoryDeps): Directory {
  const { store, account, engine, clock, baseUrl, cluster, createWaitMs = 10 * SECOND } = deps
  const held = createHeldInstances()
  const records = instanceRecords(deps.sealer)
  const states = createStates()
  const mutex = createKeyedMutex()
  const parts = {
    ...deps,
    steps: deps.steps ?? (() => {}),
    importedMedia: deps.importedMedia ?? NO_MEDIA,
    baseUrl,
    records,
    held,
    states,
    mutex,
    isElsewhere: (instance: string) => cluster !== undefined && !cluster.isHome(instance),
    eraseLater: cluster && createErasures({ ...deps, ...cluster }),
  }

  engine.onEvent((event) => {
    if (event.type === 'state' && held.find(event.instance)) states.event(event.instance, event.state)
  })

  const { change, configure } = createChanges(parts)
  const creation = createCreation(parts)
  const end = createDeletion(parts)

  const followed = createFollowedInstances({ ...parts, configure })

  return {
    ...createReads(parts),
    ...createWorkspaceWebhooks({ ...parts, configure }),
    onDeleted: followed.onDeleted,

    observe(instance, state) {
      if (held.find(instance)) states.answer(instance, state)
    },

    async load() {
      if (isAlone(store)) await removeImportLeftovers(store)
      await followed.load()
      return [...held.ids()].map((id) => toConfig(held.get(id), baseUrl))
    },

    takeImports: (onTaken) =>
      mutex.run(IMPORTS, async () => {
        await account.refresh()
        const taken: InstanceConfig[] = []
        await creation.takeOver((id) => {
          const config = toConfig(held.get(id), baseUrl)
          taken.push(config)
          onTaken?.(config)
        })
        return taken
      }),

    betweenImports: (work) => mutex.run(IMPORTS, work),

    async create(workspace, wish) {
      const { id } = await creation.add(workspace, wish)
      try {
        // The record is read again, because a change of the webhooks of the whole workspace may have changed it.
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
