/** The types of `outbox.ts`: its dependencies, requests and answers. */
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
import type { Sealer } from '../../../src/storage/seal.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { Deliver, Outcome } from '../../../src/webhooks/delivery/delivery.ts'

export type DeliveryResult = 'delivered' | 'retry' | 'failed' | 'discarded'

export interface OutboxOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  /** Waits for the next try are measured by it. */
  steady: Clock
  /** Read at every attempt: a corrected URL and a new secret count at once. */
  webhooks: () => WebhookSettings
  /** The form of the events that are posted, when they are written; absent or null: ours. Readers of streams are always given ours. */
  dialect?: (() => Dialect | null) | undefined
  /** Signs as well, for a while. */
  previousSecret?: () => PreviousSecret | undefined
  deliver: Deliver
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /** More operations for the commit of an event; `eventId` null: the event is not wanted. */
  note?: ((event: WebhookEvent, eventId: string | null) => Op[]) | undefined
  timer?: Timer
  /** Where fault tests stop; about the id of an event. */
  steps: Steps
  /** Metrics: an event was written; an attempt was made, or given up before it (`discarded`, null). */
  onAppend?: ((type: EventType) => void) | undefined
  onResult?: ((type: EventType, result: DeliveryResult, durationMs: number | null) => void) | undefined
  /** Rows kept in the log. */
  maxLogEntries?: number
  /** Events whose outcome may be unwritten: so many posts are repeated after a kill at most. */
  maxUnwritten?: number
  /** Events that may wait; beyond them the oldest are given up. */
  maxWaiting?: number
  onOverflow?: ((type: EventType) => void) | undefined
  /** For streams. `onEvents`: there is an event since the last page request; `onInterest`: a type is read now, or not any more. */
  onEvents?: (() => void) | undefined
  onInterest?: (() => void) | undefined
  /** Events kept for them. */
  maxKeptEvents?: number | undefined
}

export interface TestDelivery extends Outcome {
  url: string
  eventId: string
}

export interface Outbox {
  /** False: the type is silenced, or has no URL and no reader; no event of it needs to be written. */
  wanted(type: EventType): boolean
  /**
   * The finished event as storage operations. After `start`; commit them right away, with what caused them, then call `committed`.
   * `requestId`: of the request that it tells the outcome of; it stands in the log's lines of its attempts.
   */
  append(event: WebhookEvent, requestId?: string): { eventId: string; ops: Op[] }
  committed(eventId: string): void
  /** Records of an event that is not wanted, for the commit of what caused it. */
  noted(event: WebhookEvent): Op[]
  /** The configuration changed: a URL that was corrected counts at once. */
  configured(): void
  /** Events still to be delivered. */
  backlog(): number
  /** How far ids or times of its events are ahead of the clock, in ms: they were given out while the clock was ahead. 0: they are not. */
  ahead(): number
  start(): Promise<void>
  /** Ends the attempt in flight after this many ms at the latest; its event is then tried again after the next start. */
  stop(deadlineMs: number): Promise<void>
  /** Posts an event that never happened, outside the queue; throws not_allowed. Nothing of it is kept. */
  test(type: EventType): Promise<TestDelivery>
  /** One attempt now, before everything else; the entry after it. Throws not_found, not_allowed. */
  resend(eventId: string): Promise<LogEntry>
  /** An event of the log with its attempts, and its body while it is kept. Throw not_found. */
  detail(eventId: string): Promise<LogDetail>
  body(eventId: string): Promise<WebhookBody>
  /** The events after a given one, for a reader of the stream; from then on they are kept for a while. */
  events(query: EventsQuery): Promise<EventsPage>
  /** Puts events back into the normal schedule, due now. */
  resendMany(eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
}
