/** Every instance's configuration (main's record) and last known state, and the operations on them. */

import type { Dialect } from '../domain/dialect.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { InstanceConfig, InstanceSettings, RuntimeState, WebhookSettings } from '../domain/instance.ts'
import type { PageQuery } from '../domain/page.ts'
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

export interface ListFilter extends PageQuery {
  status?: 'connected' | 'disconnected' | undefined
  /** This status and no other. */
  exactly?: RuntimeState['status'] | undefined
  q?: string | undefined
}

/** Answer of `GET /status`, from the last known state. */
export interface StatusObject {
  connected: boolean
  smartphone_connected: boolean
  status: RuntimeState['status']
  phone: string | null
  error: string | null
  restriction: RestrictionObject | null
}

export interface Directory {
  /** Reads every configuration; the caller starts those it returns with `boot`. */
  load(): Promise<InstanceConfig[]>
  /** Makes instances of the devices that a command has left in the store; the caller starts those it returns with `boot`. */
  takeImports(): Promise<InstanceConfig[]>
  /** Records a state that came as an answer (`engine.start`), unless an event brought a newer one. */
  observe(instance: string, state: RuntimeState): void
  /** Constant time in the token. Undefined for a pair that is no instance. */
  authenticate(instance: string, token: string): { instance: InstanceId; workspace: WorkspaceId } | undefined
  /** The same by the token alone, which is one instance's in the installation. */
  authenticateToken(token: string): { instance: InstanceId; workspace: WorkspaceId } | undefined
  state(instance: InstanceId): RuntimeState
  countByStatus(): Record<RuntimeState['status'], number>
  status(instance: InstanceId): StatusObject
  /** `status` is what the shard itself would answer. */
  isStatusOfNow(instance: InstanceId): boolean
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
  /** Called when the record of an instance is gone: nobody may use it from then on. */
  onDeleted(listener: (instance: string) => void): void
  rotateToken(instance: InstanceId): Promise<string>
  /** For this many seconds the previous secret may sign as well. */
  rotateSecret(instance: InstanceId, graceSeconds?: number): Promise<string>
  /** Identifies the current token, see `InstanceConfig`. Undefined: there is no such instance. */
  tokenTagOf(instance: string): string | undefined
  /**
   * Changes what new instances of the workspace start with and every instance that there is, in one commit. Resolves with how many instances
   * that are. Rejects with `invalid_request`, and nothing is written, when the result would break a rule of the workspace or of one of them.
   */
  updateWorkspaceWebhooks(workspace: WorkspaceId, change: WebhooksChange): Promise<number>
  /** The same with a new secret, which it resolves with. */
  rotateWorkspaceSecret(workspace: WorkspaceId, graceSeconds?: number): Promise<string>
  /** Including its user info: the proxy that requests of this instance go through. Undefined: there is no such instance. */
  proxyOf(instance: string): string | null | undefined
  /** Asked of every request. */
  dialect(instance: InstanceId): Dialect | null
  /** In the form of responses: the user info of the proxy is masked. */
  settings(instance: InstanceId): InstanceSettings
  webhooks(instance: InstanceId): WebhookSettings
}
