/**
 * OAuth apps, as the rest of the service sees them. An app is a grant: one client for one instance, approved with the
 * admin key in a browser.
 */
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Op } from '../storage/contract.ts'

export interface OauthClient {
  id: string
  name: string
  /** A redirect URI must be equal to one of these, except for the port on the client's own machine. */
  redirectUris: readonly string[]
}

export interface OauthApp {
  id: string
  workspace: WorkspaceId
  instance: InstanceId
  clientId: string
  clientName: string
  /** In epoch ms. */
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

/** A request that the owner has not decided yet. The page has its secret, the ticket. */
export interface Consent extends AuthorizationRequest {
  /** Set once the owner has entered the admin key. `keyTag` identifies that key. */
  owner: { workspace: WorkspaceId; keyTag: string } | undefined
}

export interface Tokens {
  accessToken: string
  refreshToken: string
  /** Lifetime of the access token in seconds. */
  expiresIn: number
}

/** Revokes apps and codes in the change of another record: `ops` must be added to that change while it is decided. */
export interface Ending {
  ops: readonly Op[]
}

export interface Oauth {
  load(): Promise<void>
  /** Anybody may register a client; a client that no owner approves is removed after some time. */
  register(wish: { name: string; redirectUris: readonly string[] }): Promise<OauthClient>
  /** Undefined if no client has this id, or the document at its URL does not describe it. */
  client(id: string): Promise<OauthClient | undefined>
  /** Whether the client is registered or approved. Reads only memory. */
  knows(id: string): boolean

  /** Opens the consent page. The form has the `ticket` and the browser has the `cookie`; neither is enough alone. */
  ask(request: AuthorizationRequest): Promise<{ ticket: string; cookie: string }>
  consent(ticket: string, cookie: string): Promise<Consent | undefined>
  /**
   * Must be called when the owner has entered the key. The consent gets a new ticket, because an attacker may know the
   * old one and have shown the page to the owner. Undefined if the page has expired.
   */
  identified(ticket: string, owner: NonNullable<Consent['owner']>): Promise<{ ticket: string; cookie: string } | undefined>
  close(ticket: string): Promise<void>

  /** Closes the page and resolves with the code. Undefined if the page has expired or was closed. */
  approve(ticket: string, grant: { workspace: WorkspaceId; instance: InstanceId }): Promise<string | undefined>
  /**
   * Undefined if no code matches this client, redirect URI and verifier. A code that is redeemed twice revokes its app.
   */
  redeem(code: string, of: { clientId: string; redirectUri: string; verifier: string }): Promise<Tokens | undefined>
  /** Undefined if the token is invalid or belongs to another client. A token that was used before revokes its app. */
  refresh(token: string, clientId: string): Promise<Tokens | undefined>
  /** Revokes an access token, or the app of a refresh token. False if the text is neither. */
  revokeToken(token: string): Promise<boolean>

  authenticate(accessToken: string): OauthApp | undefined
  /** Records the use in the background, at most once a minute. */
  used(app: OauthApp): void
  /** Reads the uses that other services have stored. */
  readUses(): Promise<void>
  /** The newest app comes first. */
  list(workspace: WorkspaceId): readonly OauthApp[]
  /** Rejects with `not_found`. */
  revoke(workspace: WorkspaceId, id: string): Promise<void>
  endOf(of: { workspace: WorkspaceId } | { instance: string }): Ending
  /** Resolves when all background writes have ended. */
  stop(): Promise<void>
}
