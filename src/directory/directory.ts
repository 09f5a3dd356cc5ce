/** The configuration record and the last known state of every instance, and the operations on instances. */

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
  exactly?: RuntimeState['status'] | undefined
  q?: string | undefined
}

export interface StatusObject {
  connected: boolean
  smartphone_connected: boolean
  status: RuntimeState['status']
  phone: string | null
  error: string | null
  restriction: RestrictionObject | null
}

export interface Directory {
  load(): Promise<InstanceConfig[]>
  /**
   * Creates instances from the imported devices. `onTaken` is called with each new instance as soon as it exists, even
   * if a later device fails.
   */
  takeImports(onTaken?: (instance: InstanceConfig) => void): Promise<InstanceConfig[]>
  /** Runs `work` while no instance is created from an imported device. */
  betweenImports<T>(work: () => Promise<T>): Promise<T>
  /** The ids of all instances, in the order of creation. */
  ids(): Iterable<string>
  isKnown(instance: string): boolean
  /** Returns the configuration of an instance. Throws a `Failure` for an unknown id. */
  config(instance: string): InstanceConfig
  /**
   * Records the state with which a shard thread answered. Has no effect if an event has already reported a newer state.
   */
  observe(instance: string, state: RuntimeState): void
  /** Returns the instance with this id and token, or undefined. Compares the token in constant time. */
  authenticate(instance: string, token: string): { instance: InstanceId; workspace: WorkspaceId } | undefined
  /** Returns the instance with this token, or undefined. Compares the token in constant time. */
  authenticateToken(token: string): { instance: InstanceId; workspace: WorkspaceId } | undefined
  state(instance: InstanceId): RuntimeState
  /** Counts the instances for which `isMeant` is true, by default all. */
  countByStatus(isMeant?: (instance: string) => boolean): Record<RuntimeState['status'], number>
  status(instance: InstanceId): StatusObject
  /** Whether the shard thread would report the same `status` as this directory. */
  isStatusOfNow(instance: InstanceId): boolean
  render(instance: InstanceId, baseUrl: string): InstanceObject

  /** Creates an instance. Resolves when the first QR code is available, or after 10 s. */
  create(workspace: WorkspaceId, wish: NewInstance): Promise<InstanceId>
  /** Returns a page of the workspace's instances, the newest first. */
  list(workspace: WorkspaceId, filter: ListFilter): { ids: InstanceId[]; total: number }
  has(workspace: WorkspaceId, id: string): boolean
  /** Returns the id of an instance. Throws `not_found` unless the instance belongs to the workspace. */
  find(workspace: WorkspaceId, id: string): InstanceId
  /**
   * Changes an instance. `paths` selects the field names in errors: `settings.x` and `webhooks.x` with `nested`, only
   * `x` with `flat`.
   */
  update(instance: InstanceId, change: InstanceChange, paths?: 'flat' | 'nested'): Promise<void>
  delete(instance: InstanceId): Promise<void>
  onDeleted(listener: (instance: string) => void): void
  rotateToken(instance: InstanceId): Promise<string>
  /** Replaces the webhook secret of an instance. The previous secret also signs for `graceSeconds` seconds. */
  rotateSecret(instance: InstanceId, graceSeconds?: number): Promise<string>
  /**
   * Returns a tag of the current token, so that links to media end when the token changes; undefined if there is no
   * such instance.
   */
  tokenTagOf(instance: string): string | undefined
  /**
   * Changes the defaults of new instances and every existing instance, in one commit. Resolves with the number of
   * instances. Rejects with `invalid_request`, and writes nothing, if a rule of the workspace or of one instance is
   * broken.
   */
  updateWorkspaceWebhooks(workspace: WorkspaceId, change: WebhooksChange): Promise<number>
  /** Rotates the secret of the workspace and of all its instances, in one commit. Resolves with the new secret. */
  rotateWorkspaceSecret(workspace: WorkspaceId, graceSeconds?: number): Promise<string>
  /**
   * Returns the proxy URL of an instance with its user name and password, or null without a proxy. Undefined if there
   * is no such instance.
   */
  proxyOf(instance: string): string | null | undefined
  /**
   * Returns the dialect of an instance. Null if there is no such instance, or if it uses no dialect. It must be cheap,
   * because it is called for every request to an instance.
   */
  dialect(instance: string): Dialect | null
  /** Returns the settings. User name and password of the proxy are masked. */
  settings(instance: InstanceId): InstanceSettings
  webhooks(instance: InstanceId): WebhookSettings
}
