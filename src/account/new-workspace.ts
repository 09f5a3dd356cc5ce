import { randomUUID } from 'node:crypto'
import { DEFAULT_INSTANCE_SLOTS } from '../domain/workspace.ts'
import { newWebhookSecret } from './credentials.ts'
import type { StoredWorkspace } from './records.ts'
import { newWebhookSettings } from './webhook-settings.ts'

export interface NewWorkspace {
  name: string
  /** Present time in epoch ms. */
  now: number
  adminKeyHash: string | null
  instanceSlots: number | null
  ownSlots?: number | undefined
}

export function newWorkspace({ name, now, adminKeyHash, instanceSlots, ownSlots }: NewWorkspace): StoredWorkspace {
  const tenYearsOn = new Date(now)
  tenYearsOn.setUTCFullYear(tenYearsOn.getUTCFullYear() + 10)
  return {
    id: randomUUID(),
    name,
    createdAt: now,
    subscription: {
      status: 'active',
      trialEndsAt: null,
      dueAt: tenYearsOn.getTime(),
      instanceSlots: ownSlots ?? instanceSlots ?? DEFAULT_INSTANCE_SLOTS,
    },
    security: { requireApiKey: false, requireClientToken: false, allowlist: { enabled: false, entries: [] } },
    webhooks: newWebhookSettings(newWebhookSecret()),
    dialect: null,
    instancesUsed: 0,
    adminKeyHash,
    hasOwnSlots: ownSlots !== undefined,
  }
}
