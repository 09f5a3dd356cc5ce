/** What main owns of an instance (configuration) and what its shard owns (runtime state). No record has two writers. */
import type { EventType } from './events.ts'

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
  'connection_lost',
  'connection_closed',
  'service_unavailable',
  'stream_error',
  'client_outdated',
  'connect_failure',
  'bad_session',
  'connection_replaced',
  'qr_timeout',
  'start_failed',
  'proxy_error',
  'multidevice_mismatch',
  'pairing_failed',
  'logged_out',
  'logout_requested',
  'account_locked',
  'banned',
  'temporarily_banned',
] as const
export type StatusReason = (typeof STATUS_REASONS)[number]

export interface InstanceSettings {
  auto_read_message: boolean
  auto_read_status: boolean
  call_reject_auto: boolean
  call_reject_message: string | null
  disable_enqueue_when_disconnected: boolean
  queue_max_age_hours: number
  delay_message_min_ms: number
  delay_message_max_ms: number
  proxy_url: string | null
}

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
}

export interface WebhookSettings {
  received_url: string | null
  delivery_url: string | null
  message_status_url: string | null
  instance_status_url: string | null
  chat_presence_url: string | null
  notify_sent_by_me: boolean
  ignore_groups: boolean
  ignore_private: boolean
  ignore_text: boolean
  ignore_image: boolean
  ignore_video: boolean
  ignore_audio: boolean
  ignore_document: boolean
  ignore_received_callback: boolean
  ignore_delivery_callback: boolean
  ignore_message_status_callback: boolean
  ignore_instance_status_callback: boolean
  ignore_chat_presence_callback: boolean
  /** `whsec_` + 32 base62 characters; its UTF-8 bytes, prefix included, are the HMAC key. */
  secret: string
}

export const urlField = (type: EventType) => `${type}_url` as const
export const ignoreField = (type: EventType) => `ignore_${type}_callback` as const

/** What a shard needs to run an instance. Main is its only writer and pushes it with `configure`. */
export interface InstanceConfig {
  id: string
  settings: InstanceSettings
  webhooks: WebhookSettings
  /** Where callers reach the service, without a slash at the end: what links in events begin with. */
  baseUrl?: string | undefined
}

/** What the shard knows and main's directory shows. The shard is its only writer. Times in epoch ms. */
export interface RuntimeState {
  status: Status
  reason: StatusReason | null
  phone: string | null
  profileName: string | null
  platform: string | null
  connectedAt: number | null
  disconnectedAt: number | null
  /** End of a temporary ban, epoch ms. */
  bannedUntil: number | null
  /** Saved credentials of a completed pairing exist. */
  paired: boolean
}

export const CREATED: RuntimeState = {
  status: 'created',
  reason: null,
  phone: null,
  profileName: null,
  platform: null,
  connectedAt: null,
  disconnectedAt: null,
  bannedUntil: null,
  paired: false,
}
