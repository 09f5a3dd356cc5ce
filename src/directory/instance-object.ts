import { iso } from '../domain/clock.ts'
import type { ImportSource } from '../domain/device-bundle.ts'
import {
  type InstanceSettings,
  lastPhoneOf,
  type PreviousSecret,
  type RuntimeState,
  type Status,
  type StatusReason,
  type WebhookSettings,
} from '../domain/instance.ts'
import { type RestrictionObject, renderRestriction } from '../domain/restriction.ts'
import { MASKED } from '../domain/url-text.ts'
import type { Subscription, SubscriptionStatus } from '../domain/workspace.ts'

export interface InstanceRecord {
  id: string
  workspace: string
  name: string
  token: string
  settings: InstanceSettings
  webhooks: WebhookSettings
  previousSecret?: PreviousSecret | undefined
  /** Program from which the device was imported. The value stays when another account is paired. */
  importedFrom?: ImportSource | undefined
  /** In epoch ms. */
  createdAt: number
  updatedAt: number
}

export interface InstanceObject {
  id: string
  name: string
  token: string
  status: Status
  status_reason: StatusReason | null
  connected: boolean
  phone: string | null
  last_phone: string | null
  profile_name: string | null
  platform: string | null
  connected_at: string | null
  disconnected_at: string | null
  imported_from: ImportSource | null
  imported_at: string | null
  restriction: RestrictionObject | null
  subscription_status: SubscriptionStatus
  trial_ends_at: string | null
  due_at: string
  settings: InstanceSettings
  webhooks: WebhookSettings
  api_url: string
  created_at: string
  updated_at: string
}

const isoOrNull = (at: number | null) => (at === null ? null : iso(at))

export function renderInstance(
  record: InstanceRecord,
  state: RuntimeState,
  subscription: Subscription,
  baseUrl: string,
): InstanceObject {
  return {
    id: record.id,
    name: record.name,
    token: record.token,
    status: state.status,
    status_reason: state.reason,
    connected: state.status === 'connected',
    phone: state.phone,
    last_phone: lastPhoneOf(state),
    profile_name: state.profileName,
    platform: state.platform,
    connected_at: isoOrNull(state.connectedAt),
    disconnected_at: isoOrNull(state.disconnectedAt),
    // `importedAt` is null after a new pairing: the new device was not imported.
    imported_from: state.importedAt === null ? null : (record.importedFrom ?? null),
    imported_at: isoOrNull(state.importedAt),
    restriction: renderRestriction(state.restriction),
    subscription_status: subscription.status,
    trial_ends_at: isoOrNull(subscription.trialEndsAt),
    due_at: iso(subscription.dueAt),
    settings: renderSettings(record.settings),
    webhooks: record.webhooks,
    api_url: `${baseUrl}/instances/${record.id}/token/${record.token}`,
    created_at: iso(record.createdAt),
    updated_at: iso(record.updatedAt),
  }
}

export const renderSettings = (settings: InstanceSettings): InstanceSettings => ({
  ...settings,
  proxy_url: settings.proxy_url === null ? null : maskUserInfo(settings.proxy_url),
})

/** Masks the user name and the password: `http://user:secret@host:1` becomes `http://***@host:1`. */
export function maskUserInfo(url: string): string {
  const parsed = new URL(url)
  return parsed.username === '' && parsed.password === '' ? url : url.replace(/^([a-z0-9+.-]+:\/\/)[^/?#]*@/i, `$1${MASKED}@`)
}
