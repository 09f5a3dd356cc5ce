import type { Account } from '../account/account.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { STATUSES, type Status } from '../domain/instance.ts'
import { onPage } from '../domain/page.ts'
import { renderRestriction } from '../domain/restriction.ts'
import { sentence } from '../domain/sentences.ts'
import type { Engine } from '../engine/engine.ts'
import type { Directory } from './directory.ts'
import type { HeldInstances } from './held-instances.ts'
import { renderInstance, renderSettings } from './instance-object.ts'
import { toConfig, tokenTagOf } from './record.ts'
import { createSearch } from './search.ts'
import type { createStates } from './states.ts'

export interface ReadsDeps {
  held: HeldInstances
  states: ReturnType<typeof createStates>
  account: Pick<Account, 'workspace'>
  engine: Pick<Engine, 'hasTold'>
  baseUrl: string | undefined
}

export type Reads = Pick<
  Directory,
  | 'ids'
  | 'isKnown'
  | 'config'
  | 'authenticate'
  | 'authenticateToken'
  | 'state'
  | 'countByStatus'
  | 'isStatusOfNow'
  | 'status'
  | 'render'
  | 'list'
  | 'has'
  | 'find'
  | 'tokenTagOf'
  | 'proxyOf'
  | 'dialect'
  | 'settings'
  | 'webhooks'
>

export function createReads({ held, states, account, engine, baseUrl }: ReadsDeps): Reads {
  return {
    ids: held.ids,
    isKnown: (instance) => held.find(instance) !== undefined,
    config: (instance) => toConfig(held.get(instance), baseUrl),

    authenticate: held.authenticate,
    authenticateToken: held.authenticateToken,
    state: (instance) => states.get(instance),

    countByStatus(isMeant = () => true) {
      const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
      for (const instance of held.ids()) if (isMeant(instance)) counts[states.get(instance).status]++
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

    render(instance, publicUrl) {
      const record = held.get(instance)
      const { subscription } = account.workspace(record.workspace as WorkspaceId)
      return renderInstance(record, states.get(instance), subscription, publicUrl)
    },

    list(workspace, filter) {
      const matches = createSearch(filter)
      const found = held
        .of(workspace)
        .filter((record) => matches(record, states.get(record.id)))
        .reverse()
      return { ids: onPage(found, filter).map(({ id }) => id as InstanceId), total: found.length }
    },

    has: (workspace, id) => held.find(id)?.workspace === workspace,

    find(workspace, id) {
      if (held.get(id).workspace !== workspace) throw new Failure('not_found', { message: 'No instance has this id.' })
      return id as InstanceId
    },

    tokenTagOf(instance) {
      const found = held.find(instance)
      return found && tokenTagOf(found.token)
    },

    proxyOf: (instance) => held.find(instance)?.settings.proxy_url,
    dialect: (instance) => held.find(instance)?.settings.dialect ?? null,
    settings: (instance) => renderSettings(held.get(instance).settings),
    webhooks: (instance) => held.get(instance).webhooks,
  }
}
