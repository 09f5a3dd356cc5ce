/** Every instance's configuration (main's record) and last known state, and what may be done with them. */

import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { InstanceConfig, InstanceSettings, RuntimeState, WebhookSettings } from '../domain/instance.ts'
import type { RestrictionObject } from '../domain/restriction.ts'
import type { InstanceObject } from './instance-object.ts'
import type { WebhooksChange } from './webhooks.ts'

export type SettingsChange = { [K in keyof InstanceSettings]?: InstanceSettings[K] | undefined }

export interface InstanceChange {
  name?: string | undefined
  settings?: SettingsChange | undefined
  webhooks?: WebhooksChange | undefined
}

export interface NewInstance extends InstanceChange {
  name: string
  webhooks?: (WebhooksChange & { own_secret?: boolean | undefined }) | undefined
}

export interface ListFilter {
  status?: 'connected' | 'disconnected' | undefined
  q?: string | undefined
  page: number
  page_size: number
}

/** Answer of `GET /status` from the state last heard of. */
export interface StatusObject {
  connected: boolean
  smartphone_connected: boolean
  status: RuntimeState['status']
  phone: string | null
  error: string | null
  restriction: RestrictionObject | null
}

export interface Directory {
  /** Reads every configuration; what is returned is to be started with `boot`. */
  load(): Promise<InstanceConfig[]>
  /** Takes a state that came as an answer (`engine.start`), unless an event told something newer. */
  observe(instance: string, state: RuntimeState): void
  /** Constant time in the token. Undefined for a pair that is no instance. */
  authenticate(instance: string, token: string): { instance: InstanceId; workspace: WorkspaceId } | undefined
  state(instance: InstanceId): RuntimeState
  countByStatus(): Record<RuntimeState['status'], number>
  status(instance: InstanceId): StatusObject
  render(instance: InstanceId, baseUrl: string): InstanceObject

  /** Resolves when the first QR is there, or after 10 s. */
  create(workspace: WorkspaceId, wish: NewInstance): Promise<InstanceId>
  /** Newest first. */
  list(workspace: WorkspaceId, filter: ListFilter): { ids: InstanceId[]; total: number }
  /** Throws `not_found` unless the workspace has it. */
  find(workspace: WorkspaceId, id: string): InstanceId
  /** `nested`: issues name `settings.x` and `webhooks.x`, as the caller wrote them; `flat`: the field alone. */
  update(instance: InstanceId, change: InstanceChange, paths?: 'flat' | 'nested'): Promise<void>
  delete(instance: InstanceId): Promise<void>
  rotateToken(instance: InstanceId): Promise<string>
  rotateSecret(instance: InstanceId): Promise<string>
  /** Of the token it has now: `InstanceConfig`. Undefined: there is no such instance. */
  tokenTagOf(instance: string): string | undefined
  /**
   * Changes what new instances of the workspace start with and every instance that there is, in one commit. Resolves with how many instances
   * that are. Rejects with `invalid_request`, and nothing is written, when the result would break a rule of the workspace or of one of them.
   */
  updateWorkspaceWebhooks(workspace: WorkspaceId, change: WebhooksChange): Promise<number>
  /** The same with a new secret, which it resolves with. */
  rotateWorkspaceSecret(workspace: WorkspaceId): Promise<string>
  /** With its user info: what a request of this instance goes through. Undefined: there is no such instance. */
  proxyOf(instance: string): string | null | undefined
  /** As responses show them: user info of the proxy masked. */
  settings(instance: InstanceId): InstanceSettings
  webhooks(instance: InstanceId): WebhookSettings
}
