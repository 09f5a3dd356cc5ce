/** Types of the webhook log: its queries, its rows and its operations. */
import { HOUR, MINUTE, SECOND } from './clock.ts'
import type { EventType } from './events.ts'

/** Waits in ms between the six attempts to deliver an event. The last attempt is 7 h 11 min 10 s after the first. */
export const RETRY_DELAYS = [10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR] as const
export const MAX_TRIES = RETRY_DELAYS.length + 1

export const LOG_STATUSES = ['pending', 'delivered', 'failed', 'discarded'] as const
export type LogStatus = (typeof LOG_STATUSES)[number]

/** An entry of the log, in the form of the admin API. */
export interface LogEntry {
  id: string
  instance_id: string
  type: EventType
  /** Chat of the event; null if it is about the instance. */
  phone: string | null
  message_id: string | null
  /** `message_type` of a received message, otherwise the `status` of the event; null in rows of earlier releases. */
  state: string | null
  url: string
  status: LogStatus
  attempts: number
  last_response_code: number | null
  last_error: string | null
  last_duration_ms: number | null
  /** Beginning of the last answer of the receiver; null if there was none, or if it was empty. */
  last_response_body: string | null
  created_at: string
  next_attempt_at: string | null
  finished_at: string | null
  resendable: boolean
}

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  /** Time at which the attempt began. */
  at: string
  /** HTTP status; null if there was no answer. */
  code: number | null
  error: string | null
  duration_ms: number | null
  /** Beginning of the receiver's answer; null if there was none, or if it was empty. */
  receiver_answer: string | null
}

export interface LogDetail {
  entry: LogEntry
  /** The last 20 attempts, oldest first. */
  attempts: WebhookAttempt[]
}

export interface WebhookBody {
  /** Body of the event as JSON text. */
  body: string
  /** True if the body is longer than the shown part. */
  truncated: boolean
}

export interface LogRange {
  instanceIds: readonly string[]
  type?: EventType | undefined
  status?: LogStatus | undefined
  /** Bounds of the creation time of the events in epoch ms, both inclusive. */
  from?: number | undefined
  to?: number | undefined
}

export interface Sought {
  /** Whether to search in the answers of receivers. */
  answers: boolean
  /** Whether to search in chats and messages. */
  people: boolean
}

export interface LogFilter extends LogRange {
  /** Text to search for, regardless of upper and lower case, in the errors, answers, chats and messages of events. */
  q?: string | undefined
  /** Fields in which `q` is searched, in addition to errors and states; all of them if absent. */
  among?: Sought | undefined
  page: number
  pageSize: number
}

export interface LogPage {
  data: LogEntry[]
  /** Number of entries that match the filter. For a search, only the entries that it has read are counted. */
  total: number
  /** Creation time of the oldest entry that a search has read, if it ended before the last entry; otherwise null. */
  searched_to: string | null
}

/** Reads the webhook logs of instances, which their shards write. */
export interface LogReader {
  /** Returns entries of any number of instances, newest first. */
  list(filter: LogFilter): Promise<LogPage>
  /** Returns the events of the range whose body is still stored, oldest first, grouped by instance. */
  resendable(range: LogRange, limit: number): Promise<EventsOf[]>
  /** Returns, for each instance that has some of these events, the ids of those events. */
  owners(instanceIds: readonly string[], eventIds: readonly string[]): Promise<EventsOf[]>
}

export interface EventsOf {
  instanceId: string
  eventIds: string[]
}

/** An administrator's operations on the log. */
export interface WebhookLog {
  /** Returns entries, newest first. */
  list(filter: LogFilter): Promise<LogPage>
  /**
   * Makes one attempt to deliver the event immediately, before all other events of the instance. Resolves with the entry after the attempt. Throws
   * `not_found` or `not_allowed`.
   */
  resend(instanceIds: readonly string[], eventId: string): Promise<LogEntry>
  /** Puts events back into the normal schedule of deliveries. They are due immediately. */
  resendMany(instanceIds: readonly string[], eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
  /** Returns an entry with its attempts. Throws `not_found`. */
  detail(instanceIds: readonly string[], eventId: string): Promise<LogDetail>
  /**
   * Returns the body of an event. Throws `not_found` if the body is no longer stored. The access is logged with the
   * caller's address.
   */
  body(instanceIds: readonly string[], eventId: string, source: string): Promise<WebhookBody>
  /**
   * Puts the events of a range whose bodies are still stored back into the schedule, oldest first. Resolves with the
   * number of events.
   */
  replay(range: LogRange): Promise<number>
}
