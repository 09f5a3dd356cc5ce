/**
 * Types of the messages between the dashboard and the service that are not operations of the API. They are plain JSON.
 * Times are ISO-8601 UTC with milliseconds.
 */

import type { EventType } from './events.ts'
import type { HealthCode, HealthValues } from './health-words.ts'
import type { Status } from './instance.ts'
import type { Page } from './page.ts'
import type { RestrictionObject } from './restriction.ts'
import type { WaitingReason } from './waiting-reason.ts'
import type { LogStatus, WebhookAttempt } from './webhook-log.ts'
import type { Scope } from './workspace.ts'

export type { LogDetail, WebhookAttempt, WebhookBody } from './webhook-log.ts'

/**
 * Header of every request that the scripts of the dashboard send. Another site cannot send it without a CORS preflight.
 * Its value is the proof of the session (`SignedIn`), or any text before the sign-in.
 */
export const DASHBOARD_HEADER = 'X-Svc-Dashboard'

export const DASHBOARD_MODES = ['off', 'loopback', 'on'] as const
export type DashboardMode = (typeof DASHBOARD_MODES)[number]

export interface SessionKey {
  id: string
  name: string
  hint: string
  scopes: readonly Scope[]
}

export interface SessionInfo {
  signed_in: true
  id: string
  /** The session ends at this time even if it is used. */
  expires_at: string
  /** Seconds without use after which the session ends. Requests and open live streams count as use. */
  idle_seconds: number
  workspace: { id: string; name: string }
  key: SessionKey | null
  address: string
  sandbox: boolean
  version: string
  base_url: string
  /** True if SVC_ADMIN_KEY sets the admin key, so that the dashboard cannot rotate it. */
  admin_key_from_environment: boolean
}

/** The answer to a sign-in. No other answer contains the proof. */
export interface SignedIn extends SessionInfo {
  /**
   * Second half of the session's credential. Browsers send the cookie also to other ports of the same host, but not the
   * proof.
   */
  proof: string
}

export interface SignedOut {
  signed_in: false
}

export interface SessionRow {
  id: string
  created_at: string
  last_used_at: string
  /** Time at which the session ends if it is not used again. */
  expires_at: string
  address: string
  user_agent: string | null
  key: Pick<SessionKey, 'id' | 'name'> | null
  current: boolean
}

export interface InstanceRow {
  id: string
  name: string
  status: Status
  status_reason: string | null
  status_text: string | null
  phone: string | null
  /**
   * Number of the account that is linked, or was linked last. A requested logout clears `phone`, but not this field.
   */
  last_phone: string | null
  profile_name: string | null
  platform: string | null
  connected_at: string | null
  disconnected_at: string | null
  created_at: string
  /** True if the instance was ever connected. An instance for which nobody has scanned a code is not broken. */
  was_connected: boolean
  /** End of a temporary ban, assumed if WhatsApp states none; null if there is no such ban. */
  banned_until: string | null
  restriction: RestrictionObject | null
  /**
   * Number of waiting messages; null if it is unknown, for example because the thread of the instance does not answer.
   */
  queue: number | null
  backlog: number | null
  /**
   * Time since which the receiver has refused all events of one type. Null if it accepts them, or if no refusal is
   * known.
   */
  refused_since: string | null
  last_inbound_at: string | null
  webhooks: number
}

export type InstancePage = Page<InstanceRow>

export interface StatusChange {
  at: string
  from: Status | null
  to: Status
  reason: string | null
  text: string | null
}

export type TimelineStep =
  | { kind: 'queued'; at: string }
  /** The message waits. It is not sent before `at`; null if that time is unknown. */
  | { kind: 'waiting'; at: string | null; reason: WaitingReason | null }
  | { kind: 'left'; at: string }
  | { kind: 'acknowledged'; at: string }
  | { kind: 'failed'; at: string; error_code: string }
  /** `by` is the number of receipts that are combined in this step, for example those of people in a group. */
  | { kind: 'receipt'; at: string; status: string; by: number }
  | { kind: 'event'; at: string; event_id: string; type: EventType; status: LogStatus; next_attempt_at: string | null }
  | ({ kind: 'webhook'; event_id: string; type: EventType; attempt: number } & WebhookAttempt)

export interface Timeline {
  instance_id: string
  message_id: string | null
  svc_id: string | null
  /** Chat of the message. Null if the chat is not known; absent if the key may not see it. */
  correspondent?: string | null
  operation: string | null
  state: 'waiting' | 'processing' | 'sent' | 'failed' | 'unknown'
  steps: TimelineStep[]
}

/**
 * States of a message, in the order in which it reaches them. `failed` is the last state of a message that could not be
 * sent; `received` is the only state of a received message.
 */
export const MESSAGE_STATES = ['waiting', 'processing', 'sent', 'delivered', 'read', 'played', 'failed', 'received'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

export interface MessageRow {
  message_id: string
  phone: string
  chat_name: string | null
  /** Author of somebody else's message in a group, or of a status post; null otherwise, or if the author is unknown. */
  participant: string | null
  participant_name: string | null
  from_me: boolean
  at: string
  /** The `message_type` of the message's event, or the operation that sent the message; null if neither is known. */
  kind: string | null
  state: MessageState
  has_content: boolean
}

export interface MessageList {
  data: MessageRow[]
}

export interface AllowlistCheck {
  address: string
  /** True if the new allowlist would refuse this address. */
  locked_out: boolean
  invalid: number[]
}

export interface HealthProblem {
  code: HealthCode
  level: 'warning' | 'error'
  /** Values for the placeholders in the translated sentences. */
  values: HealthValues
  /** An English sentence that describes the problem. `todo` is an English sentence too. */
  what: string
  todo: string
  /** Ids of at most 20 of the affected instances. */
  instance_ids?: string[]
  instances?: number
  /** The status that all affected instances have, such as `banned`; absent if the problem is not a status. */
  status?: Status
}

export interface ThreadHealth {
  name: string
  up: boolean
  restarts: number
  instances: number | null
  heap_mb: number | null
  /** Share of the last seconds in which the thread was busy, 0 to 1. */
  busy: number | null
}

/** Time spans of the charts. A chart has at most 360 points. */
export const HEALTH_WINDOWS = ['hour', 'day', 'week'] as const
export type HealthWindow = (typeof HEALTH_WINDOWS)[number]

/** One point of a chart: measurements of ten seconds, five minutes or an hour, depending on the window. */
export interface HealthPoint {
  at: string
  rss_mb: number
  queue: number
  backlog: number
  deliveries_per_second: number
  failures_per_second: number
  sent_per_second: number
  received_per_second: number
  requests_per_second: number
  /** Median duration of webhook requests in ms; null if there were none. */
  webhook_p50_ms: number | null
  webhook_p99_ms: number | null
  /** Median duration of API requests in ms; null if there were none. */
  http_p50_ms: number | null
  http_p99_ms: number | null
}

export interface AnsweringService {
  /** Id of the service in `GET /admin/nodes`. */
  id: string
  /** Numbers of instances that the service gave and took since its start; null if it is no member of a cluster. */
  moves: MemberMoves | null
}

export interface MemberMoves {
  /** Instances that this member gave to other members. */
  given: number
  /** Instances that other members gave to this member, or that nobody had after a stop. */
  taken: number
  /** Instances of services that have failed. */
  taken_over: number
}

export interface Health {
  version: string
  api_version: string
  node: string
  started_at: string
  now: string
  status: 'ok' | 'degraded' | 'down'
  problems: HealthProblem[]
  /** `ok` or `failed`; for `media` it is `ok` or `no converter`. */
  checks: Record<'database' | 'session_store' | 'engine' | 'disk' | 'media', string>
  threads: ThreadHealth[]
  memory: { rss_mb: number; heap_mb: number }
  data: { bytes: number; store_bytes: number; media_bytes: number; free_bytes: number | null }
  instances: Record<Status, number>
  slots: { used: number; total: number }
  /** The service that answers; null unless the caller is the operator and several services can use the store. */
  answering: AnsweringService | null
  queue: number
  backlog: number
  series: { every_seconds: number; from: string | null; points: HealthPoint[] }
}

export interface ActivityHour {
  at: string
  sent: number
  received: number
  delivered: number
  failed: number
}

export interface Activity {
  hours: ActivityHour[]
}

export interface LiveEvents {
  /** The client must discard all rows, because they are sent again. */
  reset: { total: number }
  /** Sent when all initial rows have been sent. If a reader gets only missed events, it comes before them. */
  ready: Record<string, never>
  instance: InstanceRow
  removed: { id: string }
  deliveries: { instance_id: string; delivered: number; retry: number; failed: number; discarded: number }
  totals: {
    at: string
    queue: number
    backlog: number
    instances: Record<Status, number>
    deliveries_per_second: number
  }
  /** Sent before the stream ends for one of these reasons. The client must not reconnect immediately. */
  ended: { reason: 'signed_out' | 'stopping' }
}
export type LiveEventName = keyof LiveEvents
