/** What the rest of the service may ask of the account: workspaces, their keys, and commits that hold a guard on the workspace. */
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
/** Entries that are not given stay. */
export type SecurityChange = Given<Pick<Security, 'requireApiKey' | 'requireClientToken'>> & {
  readonly allowlist?: { readonly enabled: boolean; readonly entries?: Security['allowlist']['entries'] | undefined }
}

/** What is written of a workspace in one commit. */
export interface Decision {
  next?: Workspace
  /** What depends on it, in the same commit. */
  ops: readonly Op[]
  /** Runs once it is written, before anybody decides on the workspace again. */
  committed?: () => void
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
  /** Takes over what an operator's command wrote beside the service: a new admin key, and with it the end of the old one. */
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
  rename(workspace: WorkspaceId, name: string): Promise<void>
  /** Rejects with `invalid_request` for a trial without an end. */
  changeSubscription(workspace: WorkspaceId, change: SubscriptionChange): Promise<void>
  /** Rejects with `invalid_request` for an entry that is no range, `not_allowed` by the rules of `guards.ts`. */
  changeSecurity(workspace: WorkspaceId, change: SecurityChange): Promise<void>
  /** Keys with `instances:operate`, the imported token included. */
  operateKeys(workspace: WorkspaceId): number
  /**
   * Makes another admin key; the one before is void at once. Rejects with `not_allowed` when the environment owns it, with `api_key_required`
   * when somebody else replaced it meanwhile: an operator who resets a stolen key has the last word.
   */
  rotateAdminKey(workspace: WorkspaceId): Promise<string>
  /**
   * Decides on the workspace as it is and writes it with what depends on it, all in one commit that fails when somebody else wrote the
   * workspace meanwhile; then it is decided again. `decide` may throw a `Failure`: then nothing is written. One at a time per workspace.
   */
  transact(workspace: WorkspaceId, decide: (current: Workspace) => Decision): Promise<void>
  /** Waits for what is written in the background. */
  stop(): Promise<void>
}
