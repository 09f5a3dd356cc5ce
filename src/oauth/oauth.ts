/**
 * OAuth apps, as the rest of the service sees them. An app is a grant: one client for one instance, approved with the
 * admin key in a browser.
 */
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Op } from '../storage/contract.ts'

export interface OauthClient {
  id: string
  name: string
  /**
   * URIs to which a redirect may lead. A redirect URI must be equal to one of these, except for the port on the
   * client's own machine.
   */
  redirectUris: readonly string[]
}

export interface OauthApp {
  id: string
  workspace: WorkspaceId
  instance: InstanceId
  clientId: string
  clientName: string
  /** Time of creation in epoch ms. */
  createdAt: number
  lastUsedAt: number | null
}

export interface AuthorizationRequest {
  client: Pick<OauthClient, 'id' | 'name'>
  redirectUri: string
  /** PKCE challenge with S256: 43 characters of base64url. */
  challenge: string
  state: string
}

/**
 * A request that the owner has not decided yet. The consent page has the secret of the request, which is called ticket.
 */
export interface Consent extends AuthorizationRequest {
  /** The owner who has entered the admin key, which `keyTag` identifies. Undefined until then. */
  owner: { workspace: WorkspaceId; keyTag: string } | undefined
}

export interface Tokens {
  accessToken: string
  refreshToken: string
  /** Lifetime of the access token in seconds. */
  expiresIn: number
}

/**
 * Operations that revoke apps and codes together with another change. `ops` must be added to that change while it is
 * decided.
 */
export interface Ending {
  ops: readonly Op[]
}

export interface Oauth {
  load(): Promise<void>
  /** Registers a client. A client without an app may be removed at a later registration. */
  register(wish: { name: string; redirectUris: readonly string[] }): Promise<OauthClient>
  /**
   * Returns a client. Resolves with undefined if no client has this id, or the document at its URL does not describe
   * it.
   */
  client(id: string): Promise<OauthClient | undefined>
  /** True if the client is registered or approved. Reads only memory. */
  knows(id: string): boolean

  /** Opens the consent page. The form must contain the `ticket`, and the browser must send the `cookie`. */
  ask(request: AuthorizationRequest): Promise<{ ticket: string; cookie: string }>
  consent(ticket: string, cookie: string): Promise<Consent | undefined>
  /**
   * Records that the owner has entered the key. The consent gets a new ticket, because an attacker may know the old
   * ticket and have shown the page to the owner. Resolves with undefined if the page no longer exists.
   */
  identified(ticket: string, owner: NonNullable<Consent['owner']>): Promise<{ ticket: string; cookie: string } | undefined>
  close(ticket: string): Promise<void>

  /**
   * Closes the page and resolves with an authorization code; with undefined if the page no longer exists, or if the
   * admin key was replaced.
   */
  approve(ticket: string, grant: { workspace: WorkspaceId; instance: InstanceId }): Promise<string | undefined>
  /** Redeems a code. Resolves with undefined if it is not valid. A second attempt before its expiry revokes its app. */
  redeem(code: string, of: { clientId: string; redirectUri: string; verifier: string }): Promise<Tokens | undefined>
  /**
   * Issues new tokens. Resolves with undefined if the token is invalid, has expired, or belongs to another client. If
   * this client has used the token before, its app is revoked.
   */
  refresh(token: string, clientId: string): Promise<Tokens | undefined>
  /** Revokes an access token, or the app of a refresh token. Resolves with false if the text is neither. */
  revokeToken(token: string): Promise<boolean>

  authenticate(accessToken: string): OauthApp | undefined
  /** Records the use of an app in the background, at most once a minute. */
  used(app: OauthApp): void
  /** Reads the uses that other services have stored. */
  readUses(): Promise<void>
  /** Returns the apps of a workspace, the newest first. */
  list(workspace: WorkspaceId): readonly OauthApp[]
  /** Revokes an app. Rejects with `not_found` if the workspace has no such app. */
  revoke(workspace: WorkspaceId, id: string): Promise<void>
  endOf(of: { workspace: WorkspaceId } | { instance: string }): Ending
  /** Resolves when all background writes have ended. */
  stop(): Promise<void>
}
