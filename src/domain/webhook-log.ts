/** The log of deliveries: its queries and its rows (shared/api/account-admin.md, "Webhook log"). */
import type { EventType } from './events.ts'

export const LOG_STATUSES = ['pending', 'delivered', 'failed', 'discarded'] as const
export type LogStatus = (typeof LOG_STATUSES)[number]

/** As the admin API shows it. */
export interface LogEntry {
  id: string
  instance_id: string
  type: EventType
  url: string
  status: LogStatus
  attempts: number
  last_response_code: number | null
  last_error: string | null
  last_duration_ms: number | null
  created_at: string
  next_attempt_at: string | null
  finished_at: string | null
  resendable: boolean
}

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  /** When it began. */
  at: string
  /** HTTP status; null without an answer. */
  code: number | null
  error: string | null
  duration_ms: number | null
}

export interface LogDetail {
  entry: LogEntry
  /** The oldest first; the last 20. */
  attempts: WebhookAttempt[]
}

export interface WebhookBody {
  /** JSON text. */
  body: string
  /** It is longer than what is shown. */
  truncated: boolean
}

export interface LogRange {
  instanceIds: readonly string[]
  type?: EventType | undefined
  status?: LogStatus | undefined
  /** Bounds of the creation, epoch ms, both inclusive. */
  from?: number | undefined
  to?: number | undefined
}

export interface LogFilter extends LogRange {
  page: number
  pageSize: number
}

/** Reads the logs of instances. Their shards are the writers. */
export interface LogReader {
  /** Newest first, over any number of instances. */
  list(filter: LogFilter): Promise<{ data: LogEntry[]; total: number }>
  /** Events of the range whose body is still kept, the oldest first, by instance. */
  resendable(range: LogRange, limit: number): Promise<EventsOf[]>
  /** Which of the instances have which of these events. */
  owners(instanceIds: readonly string[], eventIds: readonly string[]): Promise<EventsOf[]>
}

export interface EventsOf {
  instanceId: string
  eventIds: string[]
}

/** An administrator's operations on the log. */
export interface WebhookLog {
  /** Newest first. */
  list(filter: LogFilter): Promise<{ data: LogEntry[]; total: number }>
  /** One attempt at once, before everything else of its instance. The entry after it; throws `not_found`, `not_allowed`. */
  resend(instanceIds: readonly string[], eventId: string): Promise<LogEntry>
  /** Back into the normal schedule, due now. */
  resendMany(instanceIds: readonly string[], eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
  /** With its attempts; throws `not_found`. */
  detail(instanceIds: readonly string[], eventId: string): Promise<LogDetail>
  /** Throws `not_found` when it is not kept any more. The look-up is logged with the caller's address. */
  body(instanceIds: readonly string[], eventId: string, source: string): Promise<WebhookBody>
  /** The same with what is kept of a range, the oldest first. Resolves with how many events that are. */
  replay(range: LogRange): Promise<number>
}
