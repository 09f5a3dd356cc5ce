import * as v from 'valibot'
import { DIALECTS } from '../domain/dialect.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import { SCOPES, SUBSCRIPTION_STATUSES, type Workspace } from '../domain/workspace.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { ApiKey } from './account.ts'
import { WebhookSettingsRecord } from './webhook-settings.ts'

export type StoredWorkspace = Workspace & {
  /** Hash of the admin key; null if no key was created yet. The next start then creates one. */
  adminKeyHash: string | null
  /** True if an operator set the limit of instances for this workspace. SVC_INSTANCE_SLOTS then does not change it. */
  hasOwnSlots: boolean
}
export type StoredKey = ApiKey & { hash: string }

const WorkspaceRecord = v.object({
  id: v.string(),
  name: v.string(),
  createdAt: v.number(),
  subscription: v.object({
    status: v.picklist(SUBSCRIPTION_STATUSES),
    trialEndsAt: v.nullable(v.number()),
    dueAt: v.number(),
    instanceSlots: v.number(),
  }),
  security: v.object({
    requireApiKey: v.boolean(),
    requireClientToken: v.boolean(),
    allowlist: v.object({
      enabled: v.boolean(),
      entries: v.array(v.object({ cidr: v.string(), note: v.nullable(v.string()) })),
    }),
  }),
  webhooks: WebhookSettingsRecord,
  dialect: v.optional(v.nullable(v.picklist(DIALECTS)), null),
  instancesUsed: v.number(),
  adminKeyHash: v.nullable(v.string()),
  hasOwnSlots: v.boolean(),
})

const KeyRecord = v.object({
  id: v.string(),
  workspace: v.pipe(
    v.string(),
    v.transform((id) => id as WorkspaceId),
  ),
  name: v.string(),
  scopes: v.array(v.picklist(SCOPES)),
  hint: v.string(),
  kind: v.picklist(['api_key', 'client_token']),
  hash: v.string(),
  createdAt: v.number(),
  lastUsedAt: v.nullable(v.number()),
  lastUsedIp: v.nullable(v.string()),
})

export const workspaceRecords = (sealed: Sealer) =>
  repository<StoredWorkspace>({
    name: 'workspace',
    schema: WorkspaceRecord as v.GenericSchema<unknown, StoredWorkspace>,
    version: 2,
    upgrades: { 1: (old) => ({ ...old, hasOwnSlots: false }) },
    sealed,
  })

export const keyRecords = (sealed: Sealer) =>
  repository<StoredKey>({ name: 'API key', schema: KeyRecord as v.GenericSchema<unknown, StoredKey>, version: 1, sealed })
