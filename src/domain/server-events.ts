/** Streamed events: the pages that a shard returns, and the text that is written to a reader (WHATWG HTML, "Server-sent events"). */
import type { EventType } from './events.ts'

/** One event, a comment (which readers ignore), or the delay before a reconnection. `id` and `event` have no line breaks. */
export type ServerEvent = { data: string; id?: string; event?: string } | { comment: string } | { retryMs: number }

/** Kinds of stream readers in the metrics: programs that read the events of an instance, and pages of the dashboard. */
export const STREAM_READERS = ['events', 'dashboard'] as const
export type StreamReader = (typeof STREAM_READERS)[number]

/** The reader pulls one event at a time, after the previous one was accepted. The signal ends the stream. */
export type ServerEvents = (signal: AbortSignal) => AsyncIterable<ServerEvent>

export interface EventsQuery {
  /** Id of the last event that the reader has; null if it begins now. */
  after: string | null
  types: readonly EventType[]
  /** End of the last gap that was reported to the reader. */
  reportedGap: string | null
}

export interface EventsPage {
  /** Events in the order of their ids; `data` is the body of the webhook request. */
  events: { id: string; data: string }[]
  /** Id after which the next page of events begins. */
  cursor: string
  /** Gap in which events are missing: those after the id `from`, up to the id `to`, are no longer stored, or were never created. */
  gap: { from: string; to: string } | null
  /** Whether more events may already exist after this page. */
  more: boolean
}

/** A request to stream the events of an instance. */
export interface EventStreamOf {
  instance: string
  /** Event types to read; undefined for all. */
  types?: readonly EventType[] | undefined
  /** Id of the last event that the reader has; null if it begins now. */
  after: string | null
  /** Whether the credential that opened the stream is still valid. */
  isAllowed(): boolean
}

export interface EventStreams {
  /** Opens a stream. Rejects with `rate_limited` when the instance already has too many readers, and with the failure of its shard. */
  open(stream: EventStreamOf): Promise<ServerEvents>
  /** Number of open streams. */
  count(): number
  /** Ends all streams. */
  stop(): void
}
