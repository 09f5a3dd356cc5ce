/**
 * Types of the messages between the dashboard and the service that are not operations of the API. They are plain JSON: `http/dashboard` answers them
 * under `/dashboard`, and the client in `src/dashboard` reads them. Times are ISO-8601 UTC with milliseconds.
 */

import type { EventType } from './events.ts'
import type { Status } from './instance.ts'
import type { Page } from './page.ts'
import type { RestrictionObject } from './restriction.ts'
import type { WaitingReason } from './waiting-reason.ts'
import type { LogStatus, WebhookAttempt } from './webhook-log.ts'
import type { Scope } from './workspace.ts'

export type { LogDetail, WebhookAttempt, WebhookBody } from './webhook-log.ts'

/**
 * Header that every request of the page has. Another site cannot send it without a CORS preflight. Its value is the proof of the session, or any text
 * before the sign-in.
 */
export const DASHBOARD_HEADER = 'X-Svc-Dashboard'

/** Access to the dashboard: nobody, callers on this machine, or all. */
export const DASHBOARD_MODES = ['off', 'loopback', 'on'] as const
export type DashboardMode = (typeof DASHBOARD_MODES)[number]

/** The API key of a session. */
export interface SessionKey {
  id: string
  name: string
  /** First and last characters of the key, by which a person recognises it. */
  hint: string
  scopes: readonly Scope[]
}

/** The current session. */
export interface SessionInfo {
  signed_in: true
  id: string
  /** Latest time at which the session ends. */
  expires_at: string
  /** Seconds without use after which the session ends. Requests and open live streams count as use. */
  idle_seconds: number
  workspace: { id: string; name: string }
  /** The API key that opened the session, with its present scopes; null if the admin key did. */
  key: SessionKey | null
  /** Address of the caller, as the service sees it. */
  address: string
  /** True if the simulated network runs and the session may use it; then `api/sandbox/…` answers. */
  sandbox: boolean
  version: string
  /** URL at which callers of the API reach the service. */
  base_url: string
  /** True if SVC_ADMIN_KEY sets the admin key, which then cannot be rotated here. */
  admin_key_from_environment: boolean
}

/** The answer to a sign-in. No other answer contains the proof. */
export interface SignedIn extends SessionInfo {
  /**
   * Second half of the session credential. Browsers send the cookie also to servers on other ports of the same host,
   * but they do not send the proof.
   */
  proof: string
}

export interface SignedOut {
  signed_in: false
}

/** A session in the list of sessions. */
export interface SessionRow {
  id: string
  created_at: string
  last_used_at: string
  /** Time at which the session ends if nobody uses it before. */
  expires_at: string
  address: string
  user_agent: string | null
  /** The API key that opened the session; null if the admin key did. */
  key: Pick<SessionKey, 'id' | 'name'> | null
  current: boolean
}

/** An instance in the list and in the live stream. */
export interface InstanceRow {
  id: string
  name: string
  status: Status
  status_reason: string | null
  /** Sentence that explains why the instance is not connected. */
  status_text: string | null
  phone: string | null
  profile_name: string | null
  platform: string | null
  connected_at: string | null
  disconnected_at: string | null
  created_at: string
  /** Whether a phone was ever linked and the session open. An instance for which nobody has scanned a code is not broken. */
  was_connected: boolean
  /** End of a temporary ban; null without one. */
  banned_until: string | null
  restriction: RestrictionObject | null
  /** Number of waiting messages; null if the thread of the instance does not answer at the moment. */
  queue: number | null
  /** Number of waiting webhook events. */
  backlog: number | null
  /** Time of the last stanza on the current connection. */
  last_inbound_at: string | null
  /** Number of event types that have a webhook URL. */
  webhooks: number
}

export type InstancePage = Page<InstanceRow>

/** A change of the status of an instance, or of the reason of its status. */
export interface StatusChange {
  at: string
  /** Previous status; null for the first change. */
  from: Status | null
  to: Status
  reason: string | null
  /** The reason as a sentence. */
  text: string | null
}

export type TimelineStep =
  | { kind: 'queued'; at: string }
  /** The message is not sent before `at`; null if that time is unknown. */
  | { kind: 'waiting'; at: string | null; reason: WaitingReason | null }
  /** The message was encrypted and sent. */
  | { kind: 'left'; at: string }
  /** The network accepted the message. */
  | { kind: 'acknowledged'; at: string }
  | { kind: 'failed'; at: string; error_code: string }
  /** Receipts of a message. `by` is the number of people whose receipts were combined, in a group. */
  | { kind: 'receipt'; at: string; status: string; by: number }
  | { kind: 'event'; at: string; event_id: string; type: EventType; status: LogStatus; next_attempt_at: string | null }
  | ({ kind: 'webhook'; event_id: string; type: EventType; attempt: number } & WebhookAttempt)

/** The record of a message, without its content. */
export interface Timeline {
  instance_id: string
  message_id: string | null
  svc_id: string | null
  /** Chat of the message; null if it is not known, absent if the key may not see it. */
  correspondent?: string | null
  /** `operationId` of the call that created the message. */
  operation: string | null
  state: 'waiting' | 'processing' | 'sent' | 'failed' | 'unknown'
  /** Steps, oldest first. */
  steps: TimelineStep[]
}

/**
 * States of a message, in their order. `failed` is the last state of a message that could not be sent, and `received` the only state of a received
 * message.
 */
export const MESSAGE_STATES = ['waiting', 'processing', 'sent', 'delivered', 'read', 'played', 'failed', 'received'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/** A message of an instance, without its content. */
export interface MessageRow {
  message_id: string
  /** Identifier of the chat, in the form of the API. */
  phone: string
  /** Name of the chat; null if it is not known. */
  chat_name: string | null
  /** Author of a message of somebody else in a group, or of a status post; null otherwise. */
  participant: string | null
  participant_name: string | null
  from_me: boolean
  at: string
  /** `message_type` of its event, or the operation that sent it; null if only its receipts are known. */
  kind: string | null
  /** The furthest state that the message has reached. */
  state: MessageState
  /** Whether the content of the message can be shown. */
  has_content: boolean
}

export interface MessageList {
  /** Messages, newest first. */
  data: MessageRow[]
}

export interface AllowlistCheck {
  /** Address of the caller. */
  address: string
  /** True if the new allowlist would refuse this address. */
  locked_out: boolean
  /** Indexes of the entries that are not valid addresses or ranges. */
  invalid: number[]
}

export interface HealthProblem {
  level: 'warning' | 'error'
  /** Sentence that describes the problem. */
  what: string
  /** Sentence that describes what the operator can do about the problem. */
  todo: string
  /** Affected instances, at most 20. */
  instance_ids?: string[]
  /** Number of affected instances. */
  instances?: number
  /** The status that is the problem (such as `banned`). All affected instances have it. Absent if the problem is not a status. */
  status?: Status
}

export interface ThreadHealth {
  name: string
  up: boolean
  restarts: number
  instances: number | null
  heap_mb: number | null
  /** Share of the time in which the thread was busy during the last seconds, 0 to 1. */
  busy: number | null
}

/** Windows of the charts of the service. A window has at most 360 points. */
export const HEALTH_WINDOWS = ['hour', 'day', 'week'] as const
export type HealthWindow = (typeof HEALTH_WINDOWS)[number]

/** Measurements of ten seconds, five minutes or an hour, depending on the window. */
export interface HealthPoint {
  at: string
  /** Largest memory of the process within the span of the point, in MB. `queue` and `backlog` are the largest values, too. */
  rss_mb: number
  queue: number
  backlog: number
  deliveries_per_second: number
  failures_per_second: number
  sent_per_second: number
  received_per_second: number
  requests_per_second: number
  /** Median duration of attempts to deliver events in ms, and next the 99th percentile; null if there were none. */
  webhook_p50_ms: number | null
  webhook_p99_ms: number | null
  /** Median duration of API requests in ms, and next the 99th percentile; null if there were none. */
  http_p50_ms: number | null
  http_p99_ms: number | null
}

export interface Health {
  version: string
  api_version: string
  /** Version of Node.js. */
  node: string
  started_at: string
  now: string
  status: 'ok' | 'degraded' | 'down'
  problems: HealthProblem[]
  /** Result of each check: `ok` or `failed`; for `media` it is `ok` or `no converter`. */
  checks: Record<'database' | 'session_store' | 'engine' | 'disk' | 'media', string>
  threads: ThreadHealth[]
  memory: { rss_mb: number; heap_mb: number }
  data: { bytes: number; store_bytes: number; media_bytes: number; free_bytes: number | null }
  instances: Record<Status, number>
  slots: { used: number; total: number }
  queue: number
  backlog: number
  series: { every_seconds: number; from: string | null; points: HealthPoint[] }
}

/** Numbers of messages, and of attempts to deliver events, in an hour. */
export interface ActivityHour {
  /** Start of the hour in ISO-8601. */
  at: string
  sent: number
  received: number
  delivered: number
  /** Number of attempts that a receiver refused or did not answer. */
  failed: number
}

/** Activity of an instance, or of all of them, in the last seven days. */
export interface Activity {
  /** Hours with any activity, oldest first. */
  hours: ActivityHour[]
}

/** Events of the live stream of the dashboard: for each name, the type of its data. */
export interface LiveEvents {
  /** The client must discard all rows; an event for every instance follows. */
  reset: { total: number }
  /** All initial rows, or all missed events, have been sent. */
  ready: Record<string, never>
  instance: InstanceRow
  removed: { id: string }
  /** Number of webhook attempts since the previous event of this kind. */
  deliveries: { instance_id: string; delivered: number; retry: number; failed: number; discarded: number }
  totals: {
    at: string
    queue: number
    backlog: number
    instances: Record<Status, number>
    deliveries_per_second: number
  }
  /** The stream ends, and the client must not reconnect immediately. */
  ended: { reason: 'signed_out' | 'stopping' }
}
export type LiveEventName = keyof LiveEvents
