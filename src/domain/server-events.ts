/** Events that are streamed to a reader, as WHATWG HTML defines them in "Server-sent events". */
import type { EventType } from './events.ts'

/**
 * An event, a comment (which readers ignore), or the delay before a reconnection. `id` and `event` have no line breaks.
 */
export type ServerEvent = { data: string; id?: string; event?: string } | { comment: string } | { retryMs: number }

export const STREAM_READERS = ['events', 'dashboard'] as const
export type StreamReader = (typeof STREAM_READERS)[number]

/** Begins a stream. The reader pulls one event at a time. Aborting the signal ends the stream. */
export type ServerEvents = (signal: AbortSignal) => AsyncIterable<ServerEvent>

export interface EventsQuery {
  /** Id of the last event that the reader has; null if the reader begins now. */
  after: string | null
  types: readonly EventType[]
  reportedGap: string | null
}

export interface EventsPage {
  /** Events in the order of their ids. `data` is the body that a webhook request would have. */
  events: { id: string; data: string }[]
  cursor: string
  /**
   * Missing events: those after the id `from` and up to the id `to` were removed, or never created. Null if none is
   * missing.
   */
  gap: { from: string; to: string } | null
  more: boolean
}

export interface EventStreamOf {
  instance: string
  types?: readonly EventType[] | undefined
  after: string | null
  /** True if the credential that opened the stream is still valid. */
  isAllowed(): boolean
}

export interface EventStreams {
  /**
   * Opens a stream. Rejects with `rate_limited` if the instance already has too many readers, and with the failure of
   * its shard thread.
   */
  open(stream: EventStreamOf): Promise<ServerEvents>
  count(): number
  stop(): void
}
