/** Interface of OAuth apps for the rest of the service. An app is a grant: one client for one instance, approved with the admin key in a browser. */
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Op } from '../storage/contract.ts'

export interface OauthClient {
  /** Id that was assigned at the registration, or the URL of the metadata document. */
  id: string
  name: string
  /** Redirect URIs, which are compared exactly, except for the port of the client's own machine. */
  redirectUris: readonly string[]
}

export interface OauthApp {
  id: string
  workspace: WorkspaceId
  instance: InstanceId
  clientId: string
  clientName: string
  /** Creation time, in epoch ms. */
  createdAt: number
  lastUsedAt: number | null
}

/** The request of an app that the owner approves. Each code belongs to one such request. */
export interface AuthorizationRequest {
  client: OauthClient
  redirectUri: string
  /** PKCE challenge with S256: 43 characters of base64url. */
  challenge: string
  state: string
}

/** A consent that is not decided yet. The page has its secret, the ticket. */
export interface Consent extends AuthorizationRequest {
  /** The owner, set once the admin key was accepted. `keyTag` identifies that key (`Account.adminKeyTag`). */
  owner: { workspace: WorkspaceId; keyTag: string } | undefined
}

export interface Tokens {
  accessToken: string
  refreshToken: string
  /** Lifetime of the access token in seconds. */
  expiresIn: number
}

/** Revokes apps in the same commit as another change: `ops` must be added to that commit. */
export interface Ending {
  ops: readonly Op[]
  /** Must be called after the commit, so that the apps also end in memory. */
  committed(): void
}

export interface Oauth {
  load(): Promise<void>
  /** Registers a client. Anybody may do it; a client without an app is removed after some time. */
  register(wish: { name: string; redirectUris: readonly string[] }): Promise<OauthClient>
  /** Returns a client; undefined if none has this id, or the document at its URL does not describe it. */
  client(id: string): Promise<OauthClient | undefined>
  /** Whether the client is registered or has an app. Reads only memory. */
  knows(id: string): boolean

  /** Opens the consent page. The form has the `ticket` and the browser has the `cookie`; neither is enough alone. */
  ask(request: AuthorizationRequest): { ticket: string; cookie: string }
  consent(ticket: string, cookie: string): Consent | undefined
  /**
   * Continues after the owner has entered the key of this workspace. The consent gets a new ticket, because the person who opened the page knows the
   * old ticket, and may be an attacker who made the owner's browser show the page. Undefined if the page has expired.
   */
  identified(ticket: string, owner: NonNullable<Consent['owner']>): { ticket: string; cookie: string } | undefined
  /** Ends the consent after the owner has decided. */
  close(ticket: string): void

  /** Creates the code for an approved grant, valid once and for one minute. */
  approve(request: AuthorizationRequest, grant: { workspace: WorkspaceId; instance: InstanceId }): string
  /**
   * Redeems a code; undefined if none matches this client, redirect URI and verifier. A code that is redeemed twice
   * revokes its app.
   */
  redeem(code: string, of: { clientId: string; redirectUri: string; verifier: string }): Promise<Tokens | undefined>
  /**
   * Refreshes tokens; undefined if the token is invalid or belongs to another client. A token that was used before
   * revokes its app.
   */
  refresh(token: string, clientId: string): Promise<Tokens | undefined>
  /** Revokes an access token, or the app of a refresh token. False if it is not a token; nothing then happens. */
  revokeToken(token: string): Promise<boolean>

  /** Finds an app by an access token that has not expired. */
  authenticate(accessToken: string): OauthApp | undefined
  /** Records the use of an app in the background, at most once a minute. */
  used(app: OauthApp): void
  /** Returns the apps, newest first. */
  list(workspace: WorkspaceId): readonly OauthApp[]
  /** Revokes an app. Rejects with `not_found`. */
  revoke(workspace: WorkspaceId, id: string): Promise<void>
  endOf(of: { workspace: WorkspaceId } | { instance: string }): Ending
  /** Resolves when all background writes have ended. */
  stop(): Promise<void>
}
