/**
 * Messages between the dashboard and the service beside the operations of the API: plain JSON, as `http/dashboard` answers it under
 * `/dashboard` and the client in `src/dashboard` reads it. Times are ISO-8601 UTC with milliseconds.
 */

import type { EventType } from './events.ts'
import type { Status } from './instance.ts'
import type { Page } from './page.ts'
import type { RestrictionObject } from './restriction.ts'
import type { LogStatus, WebhookAttempt } from './webhook-log.ts'

export type { LogDetail, WebhookAttempt, WebhookBody } from './webhook-log.ts'

/**
 * Header that every request of the page has: another site cannot send it without a CORS preflight. Its value is the proof of the session; where
 * there is none yet, anything.
 */
export const DASHBOARD_HEADER = 'X-Svc-Dashboard'

/** Access to the dashboard: nobody, callers on this machine, or all. */
export const DASHBOARD_MODES = ['off', 'loopback', 'on'] as const
export type DashboardMode = (typeof DASHBOARD_MODES)[number]

/** The session that is signed in. */
export interface SessionInfo {
  signed_in: true
  id: string
  /** The latest end. */
  expires_at: string
  /** Unused for this long it ends earlier. A request is a use, and so is an open live stream. */
  idle_seconds: number
  workspace: { id: string; name: string }
  /** Of the caller, as the service sees it. */
  address: string
  /** The pretend network is there: `api/sandbox/…` answers. */
  sandbox: boolean
  version: string
  /** Where callers of the API reach the service. */
  base_url: string
  /** The admin key is set by SVC_ADMIN_KEY and cannot be rotated here. */
  admin_key_from_environment: boolean
}

/** The answer to a sign-in, and the only one with the proof. */
export interface SignedIn extends SessionInfo {
  /** Second half of the session, beside the cookie: servers on other ports of the host are sent the cookie, and not this. */
  proof: string
}

export interface SignedOut {
  signed_in: false
}

/** A session as the list of sessions shows it. */
export interface SessionRow {
  id: string
  created_at: string
  last_used_at: string
  /** When it ends if nobody uses it before. */
  expires_at: string
  address: string
  user_agent: string | null
  current: boolean
}

/** An instance as the list shows it, and as the live stream reports it. */
export interface InstanceRow {
  id: string
  name: string
  status: Status
  status_reason: string | null
  /** A sentence that says why it is not connected. */
  status_text: string | null
  phone: string | null
  profile_name: string | null
  platform: string | null
  connected_at: string | null
  disconnected_at: string | null
  created_at: string
  restriction: RestrictionObject | null
  /** Messages that wait; null: its thread does not answer at the moment. */
  queue: number | null
  /** Webhook events that wait. */
  backlog: number | null
  /** Of the running connection. */
  last_inbound_at: string | null
  /** How many of the event types have a URL. */
  webhooks: number
}

export type InstancePage = Page<InstanceRow>

/** A change of status, or of its reason. */
export interface StatusChange {
  at: string
  /** Null: the first. */
  from: Status | null
  to: Status
  reason: string | null
  /** The reason as a sentence. */
  text: string | null
}

export type TimelineStep =
  | { kind: 'queued'; at: string }
  /** Not before `at`; null: nobody knows yet. */
  | { kind: 'waiting'; at: string | null; reason: 'pacing' | 'instance_not_connected' | 'restricted' | null }
  /** Its turn came: it was encrypted and sent. */
  | { kind: 'left'; at: string }
  /** The network accepted it. */
  | { kind: 'acknowledged'; at: string }
  | { kind: 'failed'; at: string; error_code: string }
  /** `by`: from how many, where receipts of a group came together. */
  | { kind: 'receipt'; at: string; status: string; by: number }
  | { kind: 'event'; at: string; event_id: string; type: EventType; status: LogStatus; next_attempt_at: string | null }
  | ({ kind: 'webhook'; event_id: string; type: EventType; attempt: number } & WebhookAttempt)

/** The record of a message, without its content. */
export interface Timeline {
  instance_id: string
  message_id: string | null
  svc_id: string | null
  /** operationId of the call that made it. */
  operation: string | null
  state: 'waiting' | 'processing' | 'sent' | 'failed' | 'unknown'
  /** The oldest first. */
  steps: TimelineStep[]
}

export interface AllowlistCheck {
  /** Of the caller. */
  address: string
  /** The list would refuse this address. */
  locked_out: boolean
  /** Indexes of entries that are no range. */
  invalid: number[]
}

export interface HealthProblem {
  level: 'warning' | 'error'
  /** A sentence: the problem. */
  what: string
  /** A sentence: the remedy. */
  todo: string
  /** At most 20. */
  instance_ids?: string[]
}

export interface ThreadHealth {
  name: string
  up: boolean
  restarts: number
  instances: number | null
  heap_mb: number | null
  /** Share of the last seconds that it worked, 0 to 1. */
  busy: number | null
}

/** Ten seconds of the service. */
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
  /** Of attempts to deliver events; null: there were none. */
  webhook_p50_ms: number | null
  webhook_p99_ms: number | null
  /** Of requests to the API; null: there were none. */
  http_p50_ms: number | null
  http_p99_ms: number | null
}

export interface Health {
  version: string
  api_version: string
  /** Of Node.js. */
  node: string
  started_at: string
  now: string
  status: 'ok' | 'degraded' | 'down'
  problems: HealthProblem[]
  /** `ok` or `failed`; of `media` `ok` or `no converter`. */
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

/** The live stream: name of an event and its data. */
export interface LiveEvents {
  /** Everything known before is void; every instance follows. */
  reset: { total: number }
  /** The initial rows, or the missed events, have all been sent. */
  ready: Record<string, never>
  instance: InstanceRow
  removed: { id: string }
  /** Webhook attempts since the last such event. */
  deliveries: { instance_id: string; delivered: number; retry: number; failed: number; discarded: number }
  totals: {
    at: string
    queue: number
    backlog: number
    instances: Record<Status, number>
    deliveries_per_second: number
  }
  /** The stream ends here, and is not to be opened again at once. */
  ended: { reason: 'signed_out' | 'stopping' }
}
export type LiveEventName = keyof LiveEvents
