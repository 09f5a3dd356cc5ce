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
  /** Monotonic clock for the waits between attempts. */
  steady: Clock
  /** Returns the settings. Called for every attempt, so that a corrected URL and a new secret apply immediately. */
  webhooks: () => WebhookSettings
  /** Returns the dialect of the stored webhook bodies; absent or null if there is none. Stream readers get events without a dialect. */
  dialect?: (() => Dialect | null) | undefined
  /** Returns the previous secret. For some time after a secret was replaced, events are signed with the old one too. */
  previousSecret?: () => PreviousSecret | undefined
  deliver: Deliver
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /**
   * Returns additional store operations for the commit in which an event occurs. `eventId` is null if the event is not stored for a webhook: no
   * webhook and no stream needs it, or only a stream.
   */
  note?: ((event: WebhookEvent, eventId: string | null) => Op[]) | undefined
  /** Returns further store operations for the commit that stores an event. `onCommitted` is called after that commit. */
  alongside?: ((event: WebhookEvent, eventId: string) => Op[]) | undefined
  onCommitted?: ((eventId: string) => void) | undefined
  timer?: Timer
  /** Called at named steps, with the id of an event. Fault tests kill the process there. */
  steps: Steps
  /**
   * Called for the metrics. `onAppend`: an event was appended. `onResult`: an attempt was made, or was skipped (the result is then `discarded`, with
   * null).
   */
  onAppend?: ((type: EventType) => void) | undefined
  onResult?: ((type: EventType, result: DeliveryResult, durationMs: number | null) => void) | undefined
  /** The most rows of the webhook log. */
  maxLogEntries?: number
  /** The most events whose outcome may be in memory only; at most this many are posted again after a kill. */
  maxUnwritten?: number
  /** The most events that may wait. If there are more, the oldest are dropped. */
  maxWaiting?: number
  onOverflow?: ((type: EventType) => void) | undefined
  /**
   * Called for the streams. `onEvents` is called one time, at the first event after a reader has requested the next events. `onInterest` is called
   * when the set of event types that readers request has changed.
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
   * Whether events of this type are needed. False if the type is silenced, or if it has neither a URL nor a stream reader; such events are not
   * stored.
   */
  wanted(type: EventType): boolean
  /**
   * Returns the operations that store an event. Call it after `start`. The caller commits the operations immediately, together with the cause of the
   * event, and then calls `committed`. `requestId`: the request whose outcome the event reports, for the log lines about its attempts.
   */
  append(event: WebhookEvent, requestId?: string): { eventId: string; ops: Op[] }
  committed(eventId: string): void
  /** Returns the additional store operations (`note`) for an event that nobody needs. They belong in the commit of the cause of the event. */
  noted(event: WebhookEvent): Op[]
  /** Called when the configuration has changed, so that a corrected URL is used immediately. */
  configured(): void
  /** Number of undelivered events. */
  backlog(): number
  /** Number of bytes of undelivered events in memory. All other undelivered events are only on disk. */
  heldBytes(): number
  /**
   * Returns by how many ms the ids or times of events are ahead of the clock; 0 if they are not. They may be ahead because the clock was wrong when
   * they were created.
   */
  ahead(): number
  start(): Promise<void>
  /** Stops the outbox. Ends the attempt in flight after this many ms; its event is attempted again after the next start. */
  stop(deadlineMs: number): Promise<void>
  /** Posts a test event outside of the queue. Nothing of it is stored. Throws `not_allowed`. */
  test(type: EventType): Promise<TestDelivery>
  /** Makes one delivery attempt before all other work. Resolves with the log entry after it. Throws `not_found` and `not_allowed`. */
  resend(eventId: string): Promise<LogEntry>
  /** Returns an event of the log with its attempts, or its body while it is stored. Throws `not_found`. */
  detail(eventId: string): Promise<LogDetail>
  /** Returns the newest entries of the log, newest first. */
  newest(max: number): Promise<LogEntry[]>
  body(eventId: string): Promise<WebhookBody>
  /** Returns the events after a given event, for a stream reader. From then on, new events are kept for some time. */
  events(query: EventsQuery): Promise<EventsPage>
  /** Schedules these events again, due now. */
  resendMany(eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
}
