/**
 * Interface of the account for the rest of the service: workspaces and their keys. A commit for a workspace fails if another writer has changed the
 * workspace in the meantime.
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
  /** Shown part of the key: `svc_key_…` and the last four characters, or for an imported token `…` and the last four characters. */
  hint: string
  /** A `client_token` was imported and is accepted only in the `Client-Token` header. */
  kind: 'api_key' | 'client_token'
  /** Creation time, in epoch ms. */
  createdAt: number
  lastUsedAt: number | null
  lastUsedIp: string | null
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

export type KeyChange = Given<Pick<ApiKey, 'name' | 'scopes'>>
/** `trialEndsAt` is only allowed for a trial; with any other status it is set to null. */
export type SubscriptionChange = Given<Subscription>
/** Change of the security settings. An absent field keeps its value. */
export type SecurityChange = Given<Pick<Security, 'requireApiKey' | 'requireClientToken'>> & {
  readonly allowlist?: { readonly enabled: boolean; readonly entries?: Security['allowlist']['entries'] | undefined }
}

/** Fields of a workspace that one commit writes. */
export interface Decision {
  next?: Workspace
  /** Operations on records that depend on the workspace, written in the same commit. */
  ops: readonly Op[]
  /** Runs after the commit, before the next decision about the workspace. */
  committed?: () => void
}

export interface WorkspaceChange {
  name?: string | undefined
  /** Dialect of the instances that are created after this change. */
  dialect?: Dialect | null | undefined
}

export interface Account {
  /** Reads all workspaces and API keys into memory. Creates the workspace `default` and its admin key if there is no workspace. */
  load(): Promise<void>
  /**
   * Creates the admin key of the workspace if it has none and the environment gives none. The caller must print the key, which is returned only once.
   * The key is valid only from this call on: if the start fails before this call, nobody has seen a key, and the next start creates one.
   */
  firstStart(): Promise<string | null>
  workspace(id: WorkspaceId): Workspace
  /** Finds an API key by its whole value; an imported client token is not found. */
  findApiKey(value: string): ApiKey | undefined
  /** Returns the imported client token of the workspace; another workspace may have imported the same value. */
  findClientToken(workspace: WorkspaceId, value: string): ApiKey | undefined
  findAdmin(value: string): WorkspaceId | undefined
  /** Returns the current state of an API key of the workspace, by its id. */
  apiKey(workspace: WorkspaceId, id: string): ApiKey | undefined
  /** Returns a tag that changes with the admin key and reveals nothing about it; undefined if the workspace has no key. */
  adminKeyTag(workspace: WorkspaceId): string | undefined
  /** True if the environment owns the admin key, which then cannot be rotated. */
  hasGivenAdminKey(workspace: WorkspaceId): boolean
  /** Reads the changes that operator commands wrote to the store, for example a new admin key, which revokes the old one. */
  refresh(): Promise<void>
  /** Records the use of a key in the background, at most once a minute. */
  used(key: ApiKey, ip: string): void
  createApiKey(workspace: WorkspaceId, wish: { name: string; scopes: readonly Scope[] }): Promise<{ key: ApiKey; value: string }>
  /** Returns the keys of a workspace, newest first. */
  listApiKeys(workspace: WorkspaceId): readonly ApiKey[]
  /**
   * Changes an API key. Rejects with `not_found`, with `invalid_request` if another key has the name, and with `not_allowed` by the rules of
   * `guards.ts`, which also apply to revoking a key.
   */
  updateApiKey(workspace: WorkspaceId, id: string, change: KeyChange): Promise<ApiKey>
  revokeApiKey(workspace: WorkspaceId, id: string): Promise<void>
  /** Calls the listener when an API key was changed or revoked. */
  onKeyChange(listener: () => void): void
  /** Imports the client token of a workspace. Rejects with `not_allowed` if the workspace already has one. */
  importClientToken(workspace: WorkspaceId, value: string): Promise<ApiKey>
  /** Changes only the given fields of a workspace. */
  update(workspace: WorkspaceId, change: WorkspaceChange): Promise<void>
  /** Changes the subscription of a workspace. Rejects with `invalid_request` for a trial without an end. */
  changeSubscription(workspace: WorkspaceId, change: SubscriptionChange): Promise<void>
  /**
   * Changes the security settings. Rejects with `invalid_request` for an entry that is not an IP range, and with
   * `not_allowed` by the rules of `guards.ts`.
   */
  changeSecurity(workspace: WorkspaceId, change: SecurityChange): Promise<void>
  /** Number of keys with the scope `instances:operate`, including the imported token. */
  operateKeys(workspace: WorkspaceId): number
  /**
   * Creates another admin key and revokes the current one immediately. `also` is written in the same commit. Rejects with `not_allowed` if the
   * environment owns the key. Rejects with `api_key_required` if the key was replaced after the request was authorized: an operator may have reset a
   * stolen key, and a request with the stolen key must not replace the new one.
   */
  rotateAdminKey(workspace: WorkspaceId, also?: Omit<Decision, 'next'>): Promise<string>
  /**
   * Changes a workspace together with dependent records in one commit. `decide` gets the current workspace, and may throw a `Failure`; then nothing
   * is written. If another writer changed the workspace in the meantime, the commit fails and `decide` runs again. The transactions of one workspace
   * run one after the other.
   */
  transact(workspace: WorkspaceId, decide: (current: Workspace) => Decision): Promise<void>
  /** Resolves when all background writes have ended. */
  stop(): Promise<void>
}

/** A session of the dashboard, as the rest of the service sees it. */
export interface DashboardSession {
  id: string
  workspace: WorkspaceId
  /** Id of the API key that opened the session; null if the admin key did. */
  keyId: string | null
  /** Creation time, in epoch ms. */
  createdAt: number
  lastUsedAt: number
  address: string
  userAgent: string | null
}

export interface DashboardSessions {
  /** Longest lifetime of a session, and the longest time that it may be unused, in ms. */
  readonly lifeMs: number
  readonly idleMs: number
  /** Opens a session. Only this method returns the two secrets: `value` for the cookie, `proof` for the page. */
  open(
    owner: Pick<DashboardSession, 'workspace' | 'keyId'>,
    from: { address: string; userAgent: string | null },
  ): { session: DashboardSession; value: string; proof: string }
  /**
   * Finds a session and counts the call as a use of it. Undefined if `value` is unknown, if its session has ended, or
   * if `proof` belongs to another session.
   */
  use(value: string, proof: string): DashboardSession | undefined
  /** Whether the session is still valid. With `isUse` the check counts as a use. */
  isOpen(session: DashboardSession, isUse?: boolean): boolean
  /** Returns the API key of a session, as it is now; null if the admin key opened the session, undefined if the key was revoked. */
  keyOf(session: DashboardSession): ApiKey | null | undefined
  expiresAt(session: DashboardSession): number
  /** Returns the open sessions of a workspace, newest first. */
  list(workspace: WorkspaceId): DashboardSession[]
  /** Ends a session. Returns false if no such session exists. */
  end(workspace: WorkspaceId, id: string): boolean
}
