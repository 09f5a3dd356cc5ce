import type { Dialect } from './dialect.ts'
import type { WebhookSettings } from './instance.ts'

export const SCOPES = ['instances:operate', 'instances:read', 'instances:write', 'webhooks:read', 'webhooks:write'] as const
export type Scope = (typeof SCOPES)[number]

export const SUBSCRIPTION_STATUSES = ['trial', 'active', 'past_due', 'canceled', 'expired', 'partner'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** Maximum number of instances of a workspace, if neither the environment nor an operator sets a number. */
export const DEFAULT_INSTANCE_SLOTS = 50
export const MAX_INSTANCE_SLOTS = 10_000

/** The plan of a workspace. Times are in epoch ms. */
export interface Subscription {
  status: SubscriptionStatus
  trialEndsAt: number | null
  dueAt: number
  instanceSlots: number
}

export interface AllowlistEntry {
  cidr: string
  note: string | null
}

export interface Security {
  requireApiKey: boolean
  requireClientToken: boolean
  allowlist: { enabled: boolean; entries: readonly AllowlistEntry[] }
}

export interface Workspace {
  id: string
  name: string
  createdAt: number
  subscription: Subscription
  security: Security
  webhooks: WebhookSettings
  dialect: Dialect | null
  instancesUsed: number
}

/**
 * True if the plan is in force, which a trial is not. A canceled plan is in force until `dueAt`. The statuses `active`,
 * `partner` and `past_due` have no end.
 */
const isCurrent = ({ status, dueAt }: Subscription, now: number) =>
  status === 'active' || status === 'partner' || status === 'past_due' || (status === 'canceled' && dueAt > now)

export const maySend = (subscription: Subscription, now: number) =>
  isCurrent(subscription, now) ||
  (subscription.status === 'trial' && subscription.trialEndsAt !== null && subscription.trialEndsAt > now)

export const hasPlan = isCurrent
