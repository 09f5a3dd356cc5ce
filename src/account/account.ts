/** The account's interface for the rest of the service: workspaces, their keys, and commits that hold a guard on the workspace. */
import type { Dialect } from '../domain/dialect.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Scope, Security, Subscription, Workspace } from '../domain/workspace.ts'
import type { Op } from '../storage/contract.ts'

export interface ApiKey {
  id: string
  workspace: WorkspaceId
  name: string
  scopes: readonly Scope[]
  /** `svc_key_…` and the last four characters; of an imported token `…` and the last four. */
  hint: string
  /** A `client_token` was imported and is accepted in the `Client-Token` header only. */
  kind: 'api_key' | 'client_token'
  /** Epoch ms. */
  createdAt: number
  lastUsedAt: number | null
  lastUsedIp: string | null
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

export type KeyChange = Given<Pick<ApiKey, 'name' | 'scopes'>>
/** `trialEndsAt` counts on trial only; everywhere else it becomes null. */
export type SubscriptionChange = Given<Subscription>
/** An entry that is absent keeps its value. */
export type SecurityChange = Given<Pick<Security, 'requireApiKey' | 'requireClientToken'>> & {
  readonly allowlist?: { readonly enabled: boolean; readonly entries?: Security['allowlist']['entries'] | undefined }
}

/** The fields of a workspace that one commit writes. */
export interface Decision {
  next?: Workspace
  /** Records that depend on the workspace, in the same commit. */
  ops: readonly Op[]
  /** Runs after the commit, before the next decision on the workspace. */
  committed?: () => void
}

export interface WorkspaceChange {
  name?: string | undefined
  /** Of instances that are made from then on. */
  dialect?: Dialect | null | undefined
}

export interface Account {
  /** Reads everything into memory; makes the workspace `default` and its admin key when there is none. */
  load(): Promise<void>
  /**
   * The admin key of a workspace that has none, when no key was given: to be printed once. It counts from here on, and not before: a start
   * that failed after `load` has shown it to nobody, and the next one makes another.
   */
  firstStart(): Promise<string | null>
  workspace(id: WorkspaceId): Workspace
  /** By its whole value. An imported client token is none. */
  findApiKey(value: string): ApiKey | undefined
  /** The imported client token of a workspace; another workspace may have imported the same. */
  findClientToken(workspace: WorkspaceId, value: string): ApiKey | undefined
  findAdmin(value: string): WorkspaceId | undefined
  /** A value that changes with the admin key and reveals nothing about it; undefined while there is no key. */
  adminKeyTag(workspace: WorkspaceId): string | undefined
  /** The environment owns the admin key: it cannot be rotated. */
  hasGivenAdminKey(workspace: WorkspaceId): boolean
  /** Reads what an operator's command wrote beside the service: a new admin key, which ends the old one. */
  refresh(): Promise<void>
  /** Notes the use of a key, at most once a minute. Written in the background. */
  used(key: ApiKey, ip: string): void
  createApiKey(workspace: WorkspaceId, wish: { name: string; scopes: readonly Scope[] }): Promise<{ key: ApiKey; value: string }>
  /** Newest first. */
  listApiKeys(workspace: WorkspaceId): readonly ApiKey[]
  /** Rejects with `not_found`; `invalid_request` for a name another key has; `not_allowed` by the rules of `guards.ts`, as revoking does. */
  updateApiKey(workspace: WorkspaceId, id: string, change: KeyChange): Promise<ApiKey>
  revokeApiKey(workspace: WorkspaceId, id: string): Promise<void>
  /** Rejects with `not_allowed` while the workspace has one. */
  importClientToken(workspace: WorkspaceId, value: string): Promise<ApiKey>
  /** Only the given fields change. */
  update(workspace: WorkspaceId, change: WorkspaceChange): Promise<void>
  /** Rejects with `invalid_request` for a trial without an end. */
  changeSubscription(workspace: WorkspaceId, change: SubscriptionChange): Promise<void>
  /** Rejects with `invalid_request` for an entry that is no range, `not_allowed` by the rules of `guards.ts`. */
  changeSecurity(workspace: WorkspaceId, change: SecurityChange): Promise<void>
  /** Keys with `instances:operate`, the imported token included. */
  operateKeys(workspace: WorkspaceId): number
  /**
   * Makes another admin key; the one before is void at once. `also` goes into the same commit. Rejects with `not_allowed` when the environment owns it, with `api_key_required`
   * when somebody else replaced it meanwhile: an operator who resets a stolen key has the last word.
   */
  rotateAdminKey(workspace: WorkspaceId, also?: Omit<Decision, 'next'>): Promise<string>
  /**
   * Decides on the workspace as it is and writes it with what depends on it, all in one commit that fails when somebody else wrote the
   * workspace meanwhile; then it is decided again. `decide` may throw a `Failure`: then nothing is written. One at a time per workspace.
   */
  transact(workspace: WorkspaceId, decide: (current: Workspace) => Decision): Promise<void>
  /** Waits for what is written in the background. */
  stop(): Promise<void>
}

/** A session of the dashboard. */
export interface DashboardSession {
  id: string
  workspace: WorkspaceId
  /** Epoch ms. */
  createdAt: number
  lastUsedAt: number
  address: string
  userAgent: string | null
}

export interface DashboardSessions {
  /** How long a session lasts, and how long it lasts unused, in ms. */
  readonly lifeMs: number
  readonly idleMs: number
  /** Both secrets are shown only here: `value` goes into the cookie, `proof` to the page. */
  open(
    workspace: WorkspaceId,
    from: { address: string; userAgent: string | null },
  ): { session: DashboardSession; value: string; proof: string }
  /** Undefined for a value that is no session, or none any more, and for the proof of another one. Otherwise it counts as a use. */
  use(value: string, proof: string): DashboardSession | undefined
  /** Whether it still counts; `isUse`: somebody still looks. */
  isOpen(session: DashboardSession, isUse?: boolean): boolean
  expiresAt(session: DashboardSession): number
  /** Newest first. */
  list(workspace: WorkspaceId): DashboardSession[]
  /** False: there is no such session. */
  end(workspace: WorkspaceId, id: string): boolean
}
