/** Types of `outbox.ts`: its dependencies, requests and answers. */
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
  /** Clock for waits between attempts. */
  steady: Clock
  /** Returns the settings. Called for every attempt, so that a corrected URL and a new secret apply immediately. */
  webhooks: () => WebhookSettings
  /** Returns the dialect in which the body for webhooks is stored; absent or null for none. Stream readers never get a dialect. */
  dialect?: (() => Dialect | null) | undefined
  /** Returns the previous secret, with which events are also signed for some time after it was replaced. */
  previousSecret?: () => PreviousSecret | undefined
  deliver: Deliver
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /** Returns additional operations for the commit of an event; `eventId` is null if no webhook or stream needs the event. */
  note?: ((event: WebhookEvent, eventId: string | null) => Op[]) | undefined
  /** More operations for the commit of an event, and a listener for the end of that commit. */
  alongside?: ((event: WebhookEvent, eventId: string) => Op[]) | undefined
  onCommitted?: ((eventId: string) => void) | undefined
  timer?: Timer
  /** Steps at which fault tests stop; their argument is the id of an event. */
  steps: Steps
  /**
   * Called for the metrics: `onAppend` when an event is appended, `onResult` when an attempt was made, or was skipped (the result is then
   * `discarded`, with null).
   */
  onAppend?: ((type: EventType) => void) | undefined
  onResult?: ((type: EventType, result: DeliveryResult, durationMs: number | null) => void) | undefined
  /** The most rows that the log keeps. */
  maxLogEntries?: number
  /** The most events whose outcome may not be on disk yet; at most this many are posted again after a kill. */
  maxUnwritten?: number
  /** The most events that may wait. If there are more, the oldest are dropped. */
  maxWaiting?: number
  onOverflow?: ((type: EventType) => void) | undefined
  /**
   * For streams. `onEvents` is called once, at the first event after a reader has requested the next events. `onInterest` is called when the set of event
   * types that readers request has changed.
   */
  onEvents?: (() => void) | undefined
  onInterest?: (() => void) | undefined
  /** The most events that are kept for streams. */
  maxKeptEvents?: number | undefined
}

export interface TestDelivery extends Outcome {
  url: string
  eventId: string
}

export interface Outbox {
  /**
   * Whether events of the type are needed. False if the type is silenced, or has no URL and no reader; its events need
   * not be stored.
   */
  wanted(type: EventType): boolean
  /**
   * Returns the finished event as storage operations. It must be called after `start`. The caller commits the operations immediately, together with
   * the cause of the event, and then calls `committed`. `requestId`: request whose outcome the event reports, for the log lines of its attempts.
   */
  append(event: WebhookEvent, requestId?: string): { eventId: string; ops: Op[] }
  committed(eventId: string): void
  /** Returns the records of an unwanted event, for the commit of its cause. */
  noted(event: WebhookEvent): Op[]
  /** Called when the configuration has changed, so that a corrected URL is used immediately. */
  configured(): void
  /** Number of undelivered events. */
  backlog(): number
  /** Bytes of the undelivered events that are in memory. Other undelivered events are only on disk. */
  heldBytes(): number
  /**
   * Returns how far ids or times of events are ahead of the clock in ms; 0 if they are not ahead. They can be ahead if the clock was wrong when they
   * were issued.
   */
  ahead(): number
  start(): Promise<void>
  /** Stops the outbox. Ends the attempt in flight after this many ms; its event is attempted again after the next start. */
  stop(deadlineMs: number): Promise<void>
  /** Posts a test event outside of the queue. Nothing of it is stored. Throws `not_allowed`. */
  test(type: EventType): Promise<TestDelivery>
  /** Makes one attempt before all other work. Resolves with the log entry after the attempt. Throws `not_found` and `not_allowed`. */
  resend(eventId: string): Promise<LogEntry>
  /** Returns an event of the log with its attempts, or its body while it is stored. Throws `not_found`. */
  detail(eventId: string): Promise<LogDetail>
  /** Returns the newest entries of the log, newest first. */
  newest(max: number): Promise<LogEntry[]>
  body(eventId: string): Promise<WebhookBody>
  /** Returns the events after a given event, for a stream reader. From then on, new events are kept for some time. */
  events(query: EventsQuery): Promise<EventsPage>
  /** Puts events back into the normal schedule, due now. */
  resendMany(eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
}
