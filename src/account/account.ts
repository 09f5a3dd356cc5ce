/** What the rest of the service may ask of the account: workspaces, their keys, and commits that hold a guard on the workspace. */
import type { WorkspaceId } from '../domain/ids.ts'
import type { Scope, Workspace } from '../domain/workspace.ts'
import type { Op } from '../storage/contract.ts'

export interface ApiKey {
  id: string
  workspace: WorkspaceId
  name: string
  scopes: readonly Scope[]
  /** `svc_key_…` and the last four characters. */
  hint: string
  /** A `client_token` was imported and is accepted in the `Client-Token` header only. */
  kind: 'api_key' | 'client_token'
  /** Epoch ms. */
  createdAt: number
  lastUsedAt: number | null
  lastUsedIp: string | null
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
  findApiKey(value: string): ApiKey | undefined
  findAdmin(value: string): WorkspaceId | undefined
  /** Takes over what an operator's command wrote beside the service: a new admin key, and with it the end of the old one. */
  refresh(): Promise<void>
  /** Notes the use of a key, at most once a minute. Written in the background. */
  used(key: ApiKey, ip: string): void
  createApiKey(workspace: WorkspaceId, wish: { name: string; scopes: readonly Scope[] }): Promise<{ key: ApiKey; value: string }>
  /** Newest first. */
  listApiKeys(workspace: WorkspaceId): readonly ApiKey[]
  revokeApiKey(workspace: WorkspaceId, id: string): Promise<void>
  /**
   * Decides on the workspace as it is and writes it with what depends on it, all in one commit that fails when somebody else wrote the
   * workspace meanwhile. `change` may throw a `Failure`: then nothing is written. One at a time per workspace.
   */
  transact(workspace: WorkspaceId, change: (current: Workspace) => { next?: Workspace; ops: readonly Op[] }): Promise<void>
  /** Waits for what is written in the background. */
  stop(): Promise<void>
}
