/**
 * The configuration of an instance, which the main thread writes, and its runtime state, which its shard thread writes
 * while the instance runs.
 */
import type { Dialect } from './dialect.ts'
import { EVENT_TYPES, type EventType } from './events.ts'
import { SEND_SAFETY_OFF, type SendSafetySettings } from './send-safety.ts'

export const STATUSES = [
  'created',
  'starting',
  'qr',
  'connecting',
  'connected',
  'disconnected',
  'logged_out',
  'banned',
  'stopped',
] as const
export type Status = (typeof STATUSES)[number]

export const STATUS_REASONS = [
  'engine_restart',
  'pairing_required',
  'restarting',
  'passkey_required',
  'passkey_confirmation',
  'connection_lost',
  'connection_closed',
  'service_unavailable',
  'stream_error',
  'client_outdated',
  'connect_failure',
  'bad_session',
  'connection_replaced',
  'moved',
  'paused',
  'qr_timeout',
  'start_failed',
  'proxy_error',
  'multidevice_mismatch',
  'pairing_failed',
  'pairing_ended',
  'logged_out',
  'logout_requested',
  'account_locked',
  'banned',
  'temporarily_banned',
] as const
export type StatusReason = (typeof STATUS_REASONS)[number]

/**
 * Names of the settings, grouped by the type of their value. Types, stored record and defaults are derived from them.
 */
export const SETTING_FLAGS = [
  'auto_read_message',
  'auto_read_status',
  'call_reject_auto',
  'disable_enqueue_when_disconnected',
] as const
export const SETTING_NUMBERS = ['queue_max_age_hours', 'delay_message_min_ms', 'delay_message_max_ms'] as const
export const SETTING_TEXTS = ['call_reject_message', 'proxy_url'] as const
export const SETTING_DIALECTS = ['dialect'] as const
export const SETTING_SAFETY = Object.keys(SEND_SAFETY_OFF) as readonly (keyof SendSafetySettings)[]

export type InstanceSettings = Record<(typeof SETTING_FLAGS)[number], boolean> &
  Record<(typeof SETTING_NUMBERS)[number], number> &
  Record<(typeof SETTING_TEXTS)[number], string | null> &
  Record<(typeof SETTING_DIALECTS)[number], Dialect | null> &
  SendSafetySettings

export const DEFAULT_SETTINGS: InstanceSettings = {
  auto_read_message: false,
  auto_read_status: false,
  call_reject_auto: false,
  call_reject_message: null,
  disable_enqueue_when_disconnected: false,
  queue_max_age_hours: 72,
  delay_message_min_ms: 1_000,
  delay_message_max_ms: 3_000,
  proxy_url: null,
  dialect: null,
  ...SEND_SAFETY_OFF,
}

/**
 * Creates a map from each event type to a field name. It is built only once, because building a name takes longer than
 * a look-up.
 */
const fieldsOf = <F extends string>(nameOf: (type: EventType) => F) =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, nameOf(type)])) as Record<EventType, F>
const URL_FIELDS = fieldsOf((type) => `${type}_url` as const)
const IGNORE_FIELDS = fieldsOf((type) => `ignore_${type}_callback` as const)

export const urlField = <T extends EventType>(type: T) => URL_FIELDS[type] as `${T}_url`
export const ignoreField = <T extends EventType>(type: T) => IGNORE_FIELDS[type] as `ignore_${T}_callback`

/**
 * Names of the webhook fields, grouped by the type of their value. Types, stored record and shown fields are derived
 * from them.
 */
export const WEBHOOK_URLS: readonly `${EventType}_url`[] = EVENT_TYPES.map((type) => urlField(type))
export const WEBHOOK_FLAGS = [
  'notify_sent_by_me',
  'ignore_groups',
  'ignore_private',
  'ignore_text',
  'ignore_image',
  'ignore_video',
  'ignore_audio',
  'ignore_document',
  ...EVENT_TYPES.map((type) => ignoreField(type)),
] as const

export type WebhookSettings = Record<(typeof WEBHOOK_URLS)[number], string | null> &
  Record<(typeof WEBHOOK_FLAGS)[number], boolean> & {
    /**
     * Signing secret: `whsec_` and 32 base62 characters. The key of `X-Svc-Signature` is its UTF-8 bytes, including the
     * prefix.
     */
    secret: string
  }

/** A replaced webhook secret, which also signs until the given time in epoch ms. */
export interface PreviousSecret {
  secret: string
  until: number
}

export const each = <K extends string, V>(names: readonly K[], value: V) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<K, V>

export interface InstanceConfig {
  id: string
  /** A text that is derived from the token. Links to files contain it, so a new token makes old links invalid. */
  tokenTag: string
  settings: InstanceSettings
  webhooks: WebhookSettings
  previousSecret?: PreviousSecret | undefined
  /** URL at which callers reach the service, without a slash at its end. Links in events begin with it. */
  baseUrl?: string | undefined
}

/** A restriction of the account by WhatsApp. `until` is in epoch ms; null if WhatsApp does not state it. */
export interface Restriction {
  kind: 'reach_out'
  until: number | null
}

/** State of an instance. While the instance runs, only its shard thread changes this state. Times are in epoch ms. */
export interface RuntimeState {
  status: Status
  reason: StatusReason | null
  phone: string | null
  /**
   * Number that the last requested logout removed from `phone`. It is kept, so that people know with which phone to
   * scan.
   */
  loggedOutPhone: string | null
  profileName: string | null
  platform: string | null
  connectedAt: number | null
  disconnectedAt: number | null
  /** End of a temporary ban, assumed if WhatsApp states none; null if there is no such ban. */
  bannedUntil: number | null
  restriction: Restriction | null
  /** Time at which the device was imported from another program. A later pairing here sets it to null. */
  importedAt: number | null
  paired: boolean
}

/** Number of the account that is linked or was linked last, digits only; null if there was none. */
export const lastPhoneOf = ({ phone, loggedOutPhone }: RuntimeState): string | null => phone ?? loggedOutPhone

/** True if an account was ever linked. At least one of these values stays after the account is unlinked. */
export const wasConnected = ({ phone, connectedAt, disconnectedAt }: RuntimeState): boolean =>
  [phone, connectedAt, disconnectedAt].some((fact) => fact !== null)

export const CREATED: RuntimeState = {
  status: 'created',
  reason: null,
  phone: null,
  loggedOutPhone: null,
  profileName: null,
  platform: null,
  connectedAt: null,
  disconnectedAt: null,
  bannedUntil: null,
  restriction: null,
  importedAt: null,
  paired: false,
}
