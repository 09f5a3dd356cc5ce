/**
 * Workspaces and their API keys. The commit of a change fails if another writer has changed the workspace in the
 * meantime.
 */
import type { Dialect } from '../domain/dialect.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Scope, Security, Subscription, Workspace } from '../domain/workspace.ts'
import type { Op } from '../storage/contract.ts'

export interface ApiKey {
  id: string
  workspace: WorkspaceId
  name: string
  scopes: readonly Scope[]
  /**
   * Part of the key that is shown: `svc_key_…` and its last four characters; for an imported token only `…` and four
   * characters.
   */
  hint: string
  /**
   * Kind of the key. A `client_token` was imported from another gateway, and is accepted only in the `Client-Token`
   * header.
   */
  kind: 'api_key' | 'client_token'
  /** Time of creation in epoch ms. */
  createdAt: number
  lastUsedAt: number | null
  lastUsedIp: string | null
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

export type KeyChange = Given<Pick<ApiKey, 'name' | 'scopes'>>
/** A change of the subscription. `trialEndsAt` is only allowed for a trial; with any other status it becomes null. */
export type SubscriptionChange = Given<Subscription>
export type SecurityChange = Given<Pick<Security, 'requireApiKey' | 'requireClientToken'>> & {
  readonly allowlist?: { readonly enabled: boolean; readonly entries?: Security['allowlist']['entries'] | undefined }
}

export interface Decision {
  next?: Workspace
  ops: readonly Op[]
  committed?: () => void
}

export interface WorkspaceChange {
  name?: string | undefined
  dialect?: Dialect | null | undefined
}

export interface Account {
  /** Reads all workspaces and API keys into memory. If there is no workspace, creates the workspace `default`. */
  load(): Promise<void>
  /**
   * Creates the admin key if there is none, and resolves with it. The caller must print it, because it is returned only
   * once. Resolves with null if there already is a key.
   */
  firstStart(): Promise<string | null>
  workspace(id: WorkspaceId): Workspace
  findApiKey(value: string): ApiKey | undefined
  findClientToken(workspace: WorkspaceId, value: string): ApiKey | undefined
  findAdmin(value: string): WorkspaceId | undefined
  apiKey(workspace: WorkspaceId, id: string): ApiKey | undefined
  /** True if this is the oldest workspace, which belongs to the operator of the service. */
  isOperators(workspace: WorkspaceId): boolean
  /** Returns a value that changes with the admin key and does not reveal it; undefined if there is no key. */
  adminKeyTag(workspace: WorkspaceId): string | undefined
  /** True if an environment variable sets the admin key. Such a key cannot be rotated. */
  hasGivenAdminKey(workspace: WorkspaceId): boolean
  /** Reads changes that operator commands or other services wrote to the store, for example a new admin key. */
  refresh(): Promise<void>
  /** True if other services can change workspaces and keys. */
  readonly isShared: boolean
  /** Reads changes of other services. Does nothing if only this machine can use the store. */
  catchUp(): Promise<void>
  /** Records the use of a key in the background, at most once a minute per key. */
  used(key: ApiKey, ip: string): void
  /** Reads the uses that other services have recorded. */
  readUses(): Promise<void>
  createApiKey(workspace: WorkspaceId, wish: { name: string; scopes: readonly Scope[] }): Promise<{ key: ApiKey; value: string }>
  /** Returns the keys of a workspace, the newest first. */
  listApiKeys(workspace: WorkspaceId): readonly ApiKey[]
  /**
   * Changes a key. Rejects with `not_found`, with `invalid_request` if another key has the name, and with `not_allowed`
   * by the rules of `guards.ts`.
   */
  updateApiKey(workspace: WorkspaceId, id: string, change: KeyChange): Promise<ApiKey>
  revokeApiKey(workspace: WorkspaceId, id: string): Promise<void>
  onKeyChange(listener: () => void): void
  /**
   * Imports a client token. Rejects with `not_allowed` if the workspace already has an imported token, or if an API key
   * has the name that imported tokens get.
   */
  importClientToken(workspace: WorkspaceId, value: string): Promise<ApiKey>
  update(workspace: WorkspaceId, change: WorkspaceChange): Promise<void>
  /** Changes the subscription. Rejects with `invalid_request` for a trial without an end. */
  changeSubscription(workspace: WorkspaceId, change: SubscriptionChange): Promise<void>
  /**
   * Changes the security settings. Rejects with `invalid_request` for an entry that is not an IP range, and with
   * `not_allowed` by the rules of `guards.ts`.
   */
  changeSecurity(workspace: WorkspaceId, change: SecurityChange): Promise<void>
  operateKeys(workspace: WorkspaceId): number
  /**
   * Replaces the admin key and returns the new one. `also` is written in the same commit. Rejects with `not_allowed` if
   * an environment variable sets the key, and with `api_key_required` if the key was replaced after the request was
   * authorized.
   */
  rotateAdminKey(workspace: WorkspaceId, also?: () => Omit<Decision, 'next'>): Promise<string>
  /**
   * Changes a workspace and dependent records in one commit. If `decide` throws a `Failure`, nothing is written. After
   * a conflict with another writer, `decide` runs again.
   */
  transact(workspace: WorkspaceId, decide: (current: Workspace) => Decision | Promise<Decision>): Promise<void>
  /** Resolves when the running changes of the workspace have ended. */
  settled(workspace: WorkspaceId): Promise<void>
  stop(): Promise<void>
}

export interface DashboardSession {
  id: string
  workspace: WorkspaceId
  /** Id of the API key that opened the session; null if the admin key opened it. */
  keyId: string | null
  createdAt: number
  lastUsedAt: number
  address: string
  userAgent: string | null
}

export interface DashboardSessions {
  readonly lifeMs: number
  readonly idleMs: number
  /**
   * Opens a session. Only this method returns its two secrets: `value` for the cookie, and `proof` for the page. `kept`
   * resolves when the session is stored for other services, or when it could not be stored.
   */
  open(
    owner: Pick<DashboardSession, 'workspace' | 'keyId'>,
    from: { address: string; userAgent: string | null },
  ): { session: DashboardSession; value: string; proof: string; kept: Promise<void> }
  /**
   * Returns the session with these secrets, and counts the call as a use of it. Returns undefined if `value` is
   * unknown, if its session has ended, or if `proof` is not the proof of this session.
   */
  use(value: string, proof: string): DashboardSession | undefined
  /** True if the session has not ended. With `isUse`, the call counts as a use of the session. */
  isOpen(session: DashboardSession, isUse?: boolean): boolean
  /**
   * Returns the API key that opened the session. Returns null if the admin key opened it, and undefined if the API key
   * was revoked.
   */
  keyOf(session: DashboardSession): ApiKey | null | undefined
  expiresAt(session: DashboardSession): number
  /** Returns the sessions of a workspace, the newest first. */
  list(workspace: WorkspaceId): DashboardSession[]
  /**
   * Ends a session. Resolves when the next start can no longer restore it; with false if no session has this id. If the
   * promise rejects, the session has ended in this service, and its removal from the store is retried.
   */
  end(workspace: WorkspaceId, id: string): Promise<boolean>
}
