/**
 * Records of apps, clients, consents and codes. They contain tokens and cookies only as hashes. They are encrypted
 * because they show which client uses which instance.
 */
import * as v from 'valibot'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { AuthorizationRequest, Consent, OauthApp, OauthClient } from './oauth.ts'

export type StoredApp = OauthApp & {
  /** Hash of the access token; null if the token was revoked. */
  accessHash: string | null
  accessUntil: number
  /**
   * Hash of the beginning that all refresh tokens of an app share. A token with this beginning that is not the current
   * refresh token was used before.
   */
  familyHash: string
  refreshHash: string
  refreshUntil: number
}
export type StoredClient = OauthClient & { createdAt: number }
/** A consent page. `until` is its end in epoch ms. */
export type StoredConsent = Consent & { cookieHash: string; until: number }
export interface StoredCode {
  request: AuthorizationRequest
  workspace: WorkspaceId
  instance: InstanceId
  /**
   * Tag of the admin key that the owner has entered. Null if the page was approved without an admin key, which only
   * tests do.
   */
  keyTag: string | null
  until: number
  /**
   * True if somebody has tried to redeem the code, even without success. `app` is the id of the app that was created.
   */
  isUsed: boolean
  app: string | null
}

const asId = <T extends string>() =>
  v.pipe(
    v.string(),
    v.transform((id) => id as T),
  )

const AppRecord = v.object({
  id: v.string(),
  workspace: asId<WorkspaceId>(),
  instance: asId<InstanceId>(),
  clientId: v.string(),
  clientName: v.string(),
  createdAt: v.number(),
  lastUsedAt: v.nullable(v.number()),
  accessHash: v.nullable(v.string()),
  accessUntil: v.number(),
  familyHash: v.string(),
  refreshHash: v.string(),
  refreshUntil: v.number(),
})

const ClientRecord = v.object({
  id: v.string(),
  name: v.string(),
  redirectUris: v.array(v.string()),
  createdAt: v.number(),
})

const requestEntries = {
  client: v.object({ id: v.string(), name: v.string() }),
  redirectUri: v.string(),
  challenge: v.string(),
  state: v.string(),
}

const ConsentRecord = v.object({
  ...requestEntries,
  owner: v.optional(v.object({ workspace: asId<WorkspaceId>(), keyTag: v.string() })),
  cookieHash: v.string(),
  until: v.number(),
})

const CodeRecord = v.object({
  request: v.object(requestEntries),
  workspace: asId<WorkspaceId>(),
  instance: asId<InstanceId>(),
  keyTag: v.nullable(v.string()),
  until: v.number(),
  isUsed: v.boolean(),
  app: v.nullable(v.string()),
})

export const appRecords = (sealed: Sealer) =>
  repository<StoredApp>({ name: 'OAuth app', schema: AppRecord as v.GenericSchema<unknown, StoredApp>, version: 1, sealed })

export const clientRecords = (sealed: Sealer) =>
  repository<StoredClient>({
    name: 'OAuth client',
    schema: ClientRecord as v.GenericSchema<unknown, StoredClient>,
    version: 1,
    sealed,
  })

export const consentRecords = (sealed: Sealer) =>
  repository<StoredConsent>({
    name: 'OAuth consent',
    schema: ConsentRecord as v.GenericSchema<unknown, StoredConsent>,
    version: 1,
    sealed,
  })

export const codeRecords = (sealed: Sealer) =>
  repository<StoredCode>({
    name: 'OAuth code',
    schema: CodeRecord as v.GenericSchema<unknown, StoredCode>,
    version: 1,
    sealed,
  })
