/**
 * Interface of the directory. The directory has the configuration record and the last known state of every instance, and the operations on instances.
 */

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
  /** If given, only instances with this status are listed. */
  exactly?: RuntimeState['status'] | undefined
  q?: string | undefined
}

/** Answer of `GET /status` from the last known state. */
export interface StatusObject {
  connected: boolean
  smartphone_connected: boolean
  status: RuntimeState['status']
  phone: string | null
  error: string | null
  restriction: RestrictionObject | null
}

export interface Directory {
  /** Reads all configurations; the caller starts the returned instances with `boot`. */
  load(): Promise<InstanceConfig[]>
  /** Creates instances from the imported devices in the store; the caller starts the returned instances with `boot`. */
  takeImports(): Promise<InstanceConfig[]>
  /** Configuration of an instance for its shard. Throws a `Failure` for an unknown id. */
  config(instance: string): InstanceConfig
  /** Records a state from an answer (`engine.start`), unless an event has already reported a newer state. */
  observe(instance: string, state: RuntimeState): void
  /** Compares the token in constant time. Undefined if no instance has this id and token. */
  authenticate(instance: string, token: string): { instance: InstanceId; workspace: WorkspaceId } | undefined
  /** Finds the instance of a token, which is unique in the installation. Compares in constant time. Undefined if no instance has this token. */
  authenticateToken(token: string): { instance: InstanceId; workspace: WorkspaceId } | undefined
  state(instance: InstanceId): RuntimeState
  countByStatus(): Record<RuntimeState['status'], number>
  status(instance: InstanceId): StatusObject
  /** Whether `status` is up to date, so that it equals the answer that the shard itself would give. */
  isStatusOfNow(instance: InstanceId): boolean
  render(instance: InstanceId, baseUrl: string): InstanceObject

  /** Creates an instance. Resolves when the first QR code is available, or after 10 s. */
  create(workspace: WorkspaceId, wish: NewInstance): Promise<InstanceId>
  /** Lists instances, newest first. */
  list(workspace: WorkspaceId, filter: ListFilter): { ids: InstanceId[]; total: number }
  /** Whether the instance exists and belongs to the workspace. */
  has(workspace: WorkspaceId, id: string): boolean
  /** Finds an instance. Throws `not_found` unless it belongs to the workspace. */
  find(workspace: WorkspaceId, id: string): InstanceId
  /**
   * Changes an instance. The paths of issues are `settings.x` and `webhooks.x` with `nested`, for a caller that sent nested objects, and only `x`
   * with `flat`.
   */
  update(instance: InstanceId, change: InstanceChange, paths?: 'flat' | 'nested'): Promise<void>
  delete(instance: InstanceId): Promise<void>
  /** The listener is called when the record of an instance is removed. Nobody may use the instance afterwards. */
  onDeleted(listener: (instance: string) => void): void
  rotateToken(instance: InstanceId): Promise<string>
  /** Replaces the webhook secret. The previous secret also signs for `graceSeconds` seconds. */
  rotateSecret(instance: InstanceId, graceSeconds?: number): Promise<string>
  /** Returns the tag of the current token, which `InstanceConfig` explains. Undefined if there is no such instance. */
  tokenTagOf(instance: string): string | undefined
  /**
   * Changes the defaults of new instances of the workspace and every existing instance, in one commit. Resolves with the number of instances. Rejects
   * with `invalid_request`, and writes nothing, if the result would break a rule of the workspace or of one instance.
   */
  updateWorkspaceWebhooks(workspace: WorkspaceId, change: WebhooksChange): Promise<number>
  /** Replaces the webhook secret of the workspace and of all its instances, in one commit. Resolves with the new secret. */
  rotateWorkspaceSecret(workspace: WorkspaceId, graceSeconds?: number): Promise<string>
  /** Returns the proxy of this instance, including user name and password. Undefined if there is no such instance. */
  proxyOf(instance: string): string | null | undefined
  /** Returns the dialect of an instance; null if it has none, or if there is no such instance. It is called for every request. */
  dialect(instance: string): Dialect | null
  /** Returns the settings in the form of responses: user name and password of the proxy are masked. */
  settings(instance: InstanceId): InstanceSettings
  webhooks(instance: InstanceId): WebhookSettings
}
