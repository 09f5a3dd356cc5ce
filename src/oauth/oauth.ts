/**
 * Apps that were let in by a browser: the interface for the rest of the service. An app is a grant: one client for one instance, approved with the
 * admin key (shared/api/mcp-and-system.md, "Apps authorized through OAuth").
 */
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Op } from '../storage/contract.ts'

export interface OauthClient {
  /** Of a registered one made here; of one with a document its URL. */
  id: string
  name: string
  /** Compared as they are written, but for the port of the client's own machine. */
  redirectUris: readonly string[]
}

export interface OauthApp {
  id: string
  workspace: WorkspaceId
  instance: InstanceId
  clientId: string
  clientName: string
  /** Epoch ms. */
  createdAt: number
  lastUsedAt: number | null
}

/** The request that the owner approves, and that a code stands for. */
export interface AuthorizationRequest {
  client: OauthClient
  redirectUri: string
  /** Of PKCE, S256: 43 characters of base64url. */
  challenge: string
  state: string
}

/** An owner's way through the page: to be shown again with the secret it was opened with. */
export interface Consent extends AuthorizationRequest {
  /** Once the admin key was right; `keyTag` says which key that was, see `Account.adminKeyTag`. */
  owner: { workspace: WorkspaceId; keyTag: string } | undefined
}

export interface Tokens {
  accessToken: string
  refreshToken: string
  /** Seconds of the access token. */
  expiresIn: number
}

/** The end of apps together with another record: operations for that record's commit. */
export interface Ending {
  ops: readonly Op[]
  /** Once they are written. */
  committed(): void
}

export interface Oauth {
  load(): Promise<void>
  /** Anybody may: a client without an app is forgotten after a while. */
  register(wish: { name: string; redirectUris: readonly string[] }): Promise<OauthClient>
  /** Undefined: nobody has registered so, or the document at its URL does not describe it. */
  client(id: string): Promise<OauthClient | undefined>
  /** Whether it is registered here, or has an app. Asks nobody. */
  knows(id: string): boolean

  /** Opens the way through the page. `ticket` stands in the form and `cookie` in the browser: neither is enough alone. */
  ask(request: AuthorizationRequest): { ticket: string; cookie: string }
  consent(ticket: string, cookie: string): Consent | undefined
  /**
   * The owner has shown the key of this workspace: the way on from there. It is a new one, as who opened the page knows the old one, and may be
   * somebody else who had the owner's browser show it. Undefined: there is no such page any more.
   */
  identified(ticket: string, owner: NonNullable<Consent['owner']>): { ticket: string; cookie: string } | undefined
  /** The owner has decided: there is no way back. */
  close(ticket: string): void

  /** The code for a grant that was approved: good once, for a minute. */
  approve(request: AuthorizationRequest, grant: { workspace: WorkspaceId; instance: InstanceId }): string
  /** Undefined: there is no such code for this client, this redirect URI and this verifier. A code that comes twice ends its app. */
  redeem(code: string, of: { clientId: string; redirectUri: string; verifier: string }): Promise<Tokens | undefined>
  /** Undefined: it is none, or not of this client. One that was used before ends its app. */
  refresh(token: string, clientId: string): Promise<Tokens | undefined>
  /** Ends an access token, or with its refresh token the app. False: it is no token, and nothing happens. */
  revokeToken(token: string): Promise<boolean>

  /** By an access token that has not expired. */
  authenticate(accessToken: string): OauthApp | undefined
  /** Notes the use, at most once a minute. Written in the background. */
  used(app: OauthApp): void
  /** Newest first. */
  list(workspace: WorkspaceId): readonly OauthApp[]
  /** Rejects with `not_found`. */
  revoke(workspace: WorkspaceId, id: string): Promise<void>
  endOf(of: { workspace: WorkspaceId } | { instance: string }): Ending
  /** Waits for what is written in the background. */
  stop(): Promise<void>
}
