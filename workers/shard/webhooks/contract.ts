import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Dialect } from '../../../src/domain/dialect.ts'
import type { EventType } from '../../../src/domain/events.ts'
import type { PreviousSecret, WebhookSettings } from '../../../src/domain/instance.ts'
import type { EventsPage, EventsQuery } from '../../../src/domain/server-events.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { LogDetail, LogEntry, WebhookBody } from '../../../src/domain/webhook-log.ts'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { Deliver, Outcome } from '../../../src/webhooks/delivery/delivery.ts'

export type DeliveryResult = 'delivered' | 'retry' | 'failed' | 'discarded'

export interface OutboxOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  /** Monotonic clock for the waits between attempts. */
  steady: Clock
  /** Returns the settings. Called for every attempt, so that a corrected URL and a new secret apply immediately. */
  webhooks: () => WebhookSettings
  /** The dialect of webhook bodies; null if there is none. Events for stream readers have no dialect. */
  dialect?: (() => Dialect | null) | undefined
  /** Returns the secret that was replaced last. For some time after the replacement, events are signed with it too. */
  previousSecret?: () => PreviousSecret | undefined
  deliver: Deliver
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /**
   * Returns additional operations for the commit of an event. `eventId` is null if the event is not stored for a
   * webhook.
   */
  note?: ((event: WebhookEvent, eventId: string | null) => Op[]) | undefined
  /** Returns further operations for the commit of an event. `onCommitted` is called after the commit. */
  alongside?: ((event: WebhookEvent, eventId: string) => Op[]) | undefined
  onCommitted?: ((eventId: string) => void) | undefined
  timer?: Timer
  steps: Steps
  /**
   * `onAppend` and `onResult` are called for the metrics. An event that was not posted, because its type has no URL,
   * has the result `discarded`, and null as its duration.
   */
  onAppend?: ((type: EventType) => void) | undefined
  onResult?: ((type: EventType, result: DeliveryResult, durationMs: number | null) => void) | undefined
  /** Number of rows of the webhook log above which the oldest are removed. Rows of pending events stay. */
  maxLogEntries?: number
  /** Maximum number of events whose outcome is not on disk. After a kill, these events are posted again. */
  maxUnwritten?: number
  /** Maximum number of undelivered events. Above it, the oldest event is dropped for each new one. */
  maxWaiting?: number
  onOverflow?: ((type: EventType) => void) | undefined
  onEvents?: (() => void) | undefined
  onInterest?: (() => void) | undefined
  /** Maximum number of events that are kept for streams. */
  maxKeptEvents?: number | undefined
}

export interface TestDelivery extends Outcome {
  url: string
  eventId: string
}

export interface Outbox {
  /**
   * Whether an event of this type is needed. False if the type is silenced, or if it has neither a URL nor a stream
   * reader.
   */
  wanted(type: EventType): boolean
  /**
   * Creates an event. The caller must immediately commit the operations, together with the cause of the event, and then
   * call `committed`. Call `append` only after `start`. `requestId`: id of the request whose outcome the event reports.
   */
  append(event: WebhookEvent, requestId?: string): { eventId: string; ops: Op[] }
  committed(eventId: string): void
  /** Returns the operations that must be committed with the cause of an event for which `wanted` is false. */
  noted(event: WebhookEvent): Op[]
  /** Must be called when the configuration has changed. */
  configured(): void
  backlog(): number
  /** Number of bytes of the waiting events that have been in memory since their creation. */
  heldBytes(): number
  /**
   * Returns the ms by which ids or times of events are ahead of the clock, at least 0. Events may have been created
   * while the clock was wrong.
   */
  ahead(): number
  start(): Promise<void>
  /** The attempt in flight is ended after this many ms. Its event is attempted again after the next start. */
  stop(deadlineMs: number): Promise<void>
  /** Posts a test event outside of the queue. Nothing is stored. Rejects with `not_allowed` if the type has no URL. */
  test(type: EventType): Promise<TestDelivery>
  /**
   * Makes one delivery attempt before all other work. Rejects with `not_found` if the body is no longer stored, and
   * with `not_allowed` if the type has no URL.
   */
  resend(eventId: string): Promise<LogEntry>
  /** Returns the log entry of an event, with its attempts. Rejects with `not_found`. */
  detail(eventId: string): Promise<LogDetail>
  newest(max: number): Promise<LogEntry[]>
  body(eventId: string): Promise<WebhookBody>
  /**
   * Returns a page of events for a stream reader. After this call, new events are kept for the reader for some time.
   */
  events(query: EventsQuery): Promise<EventsPage>
  resendMany(eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
}
