import { HOUR, MINUTE, SECOND } from './clock.ts'
import type { EventType } from './events.ts'

/** Waits in ms between the six attempts to deliver an event. The last attempt is 7 h 11 min 10 s after the first. */
export const RETRY_DELAYS = [10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR] as const
export const MAX_TRIES = RETRY_DELAYS.length + 1

export const LOG_STATUSES = ['pending', 'delivered', 'failed', 'discarded'] as const
export type LogStatus = (typeof LOG_STATUSES)[number]

export interface LogEntry {
  id: string
  instance_id: string
  type: EventType
  /** Chat that the event is about; null if it is about no chat, and in rows of earlier releases. */
  phone: string | null
  message_id: string | null
  /** `message_type` of a received message, or the `status` of another event. Null in rows of earlier releases. */
  state: string | null
  url: string
  status: LogStatus
  attempts: number
  last_response_code: number | null
  last_error: string | null
  last_duration_ms: number | null
  /** Beginning of the receiver's last answer; null if there was none, if it was empty, or if it is no longer stored. */
  last_response_body: string | null
  created_at: string
  next_attempt_at: string | null
  finished_at: string | null
  resendable: boolean
}

export interface WebhookAttempt {
  at: string
  /** HTTP status of the receiver's answer; null if there was no answer. */
  code: number | null
  error: string | null
  duration_ms: number | null
  /** Beginning of the receiver's answer; null if there was none, if it was empty, or if it is no longer stored. */
  receiver_answer: string | null
}

export interface LogDetail {
  entry: LogEntry
  /** The last 20 failed attempts, oldest first, and then the successful one if there was one. */
  attempts: WebhookAttempt[]
}

export interface WebhookBody {
  body: string
  truncated: boolean
}

export interface LogRange {
  instanceIds: readonly string[]
  type?: EventType | undefined
  status?: LogStatus | undefined
  /** Start of the range in epoch ms, inclusive. */
  from?: number | undefined
  to?: number | undefined
}

export interface Sought {
  answers: boolean
  people: boolean
}

export interface LogFilter extends LogRange {
  /** Text to search for in errors, HTTP statuses, states, answers, chats and ids of messages, ignoring case. */
  q?: string | undefined
  /** Whether `q` is also searched in answers and in chats and ids of messages. If absent, all parts are searched. */
  among?: Sought | undefined
  page: number
  pageSize: number
}

export interface LogPage {
  data: LogEntry[]
  /** Number of entries that match the filter. A search counts only the entries that it has read. */
  total: number
  /** Creation time of the oldest entry that a search has read; null if it has read all entries, or without `q`. */
  searched_to: string | null
}

export interface LogReader {
  /** Reads a page of the log. If the signal is aborted before the read begins, nothing is read. */
  list(filter: LogFilter, signal?: AbortSignal): Promise<LogPage>
  resendable(range: LogRange, limit: number): Promise<Resendable>
  owners(instanceIds: readonly string[], eventIds: readonly string[]): Promise<EventsOf[]>
}

export interface EventsOf {
  instanceId: string
  eventIds: string[]
}

export interface Resendable {
  /** The oldest events whose body is still stored, grouped by instance. */
  events: EventsOf[]
  /** Creation time in epoch ms of the oldest event that the limit left out; null if there is none. */
  nextFrom: number | null
}

export interface WebhookLog {
  /** Reads a page of the log. If the signal is aborted before the read begins, nothing is read. */
  list(filter: LogFilter, signal?: AbortSignal): Promise<LogPage>
  /**
   * Makes one attempt to deliver the event immediately, before all waiting events of the instance. Resolves after the
   * attempt. Rejects with `not_found` or `not_allowed`.
   */
  resend(instanceIds: readonly string[], eventId: string): Promise<LogEntry>
  /** Schedules the events for an immediate delivery, in their normal order. */
  resendMany(instanceIds: readonly string[], eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
  detail(instanceIds: readonly string[], eventId: string): Promise<LogDetail>
  /**
   * Reads the body of an event. Rejects with `not_found` if the body is no longer stored. `source` is the address of
   * the caller, for the log.
   */
  body(instanceIds: readonly string[], eventId: string, source: string): Promise<WebhookBody>
  /** Schedules the oldest events of the range whose bodies are still stored. `nextFrom` is as in `Resendable`. */
  replay(range: LogRange): Promise<{ queued: number; nextFrom: number | null }>
}
