/** Streamed events: the pages that a shard returns, and what is written to a reader (WHATWG HTML, "Server-sent events"). */
import type { EventType } from './events.ts'

/** One event, a comment, which readers pass over, or the time after which they reconnect. Neither `id` nor `event` has a line break. */
export type ServerEvent = { data: string; id?: string; event?: string } | { comment: string } | { retryMs: number }

/** Readers of streams, as the metrics name them: programs that read the events of an instance, and pages of the dashboard. */
export const STREAM_READERS = ['events', 'dashboard'] as const
export type StreamReader = (typeof STREAM_READERS)[number]

/** One is pulled at a time, once the previous one was accepted; the signal ends the stream. */
export type ServerEvents = (signal: AbortSignal) => AsyncIterable<ServerEvent>

export interface EventsQuery {
  /** The last event that the reader has; null: it begins now. */
  after: string | null
  types: readonly EventType[]
  /** The end of the last gap that was reported to the reader. */
  reportedGap: string | null
}

export interface EventsPage {
  /** In the order of their ids; `data` is the body a webhook gets. */
  events: { id: string; data: string }[]
  /** The id that the next page begins after. */
  cursor: string
  /** Of the events behind `from` up to `to`, some are not kept any more, or were never made. */
  gap: { from: string; to: string } | null
  /** There may be more already. */
  more: boolean
}

/** A request to read the events of an instance. */
export interface EventStreamOf {
  instance: string
  /** Undefined: all of them. */
  types?: readonly EventType[] | undefined
  /** Id of the last event the reader has; null: it begins now. */
  after: string | null
  /** Whether the credential that opened the stream is still valid. */
  isAllowed(): boolean
}

export interface EventStreams {
  /** Rejects with `rate_limited` when the instance has too many readers already, and with the failure of its shard. */
  open(stream: EventStreamOf): Promise<ServerEvents>
  /** Streams that are open. */
  count(): number
  /** Ends all of them. */
  stop(): void
}
