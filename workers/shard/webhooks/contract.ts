/** What the outbox is given, asked and answers: the types of `outbox.ts`. */
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { EventType } from '../../../src/domain/events.ts'
import type { WebhookSettings } from '../../../src/domain/instance.ts'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { LogEntry } from '../../../src/webhooks/log.ts'
import type { Deliver } from './delivery.ts'

/** In order: an event was chosen, is about to be posted, was answered, and its outcome is stored. */
export type OutboxStep = 'picked' | 'before-post' | 'after-post' | 'settled'
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
  deliver: Deliver
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  timer?: Timer
  /** Fault tests stop here, between two steps. */
  onStep?: ((step: OutboxStep, eventId: string) => void | Promise<void>) | undefined
  /** Metrics: an event was written; an attempt was made, or given up before it (`discarded`, null). */
  onAppend?: ((type: EventType) => void) | undefined
  onResult?: ((type: EventType, result: DeliveryResult, durationMs: number | null) => void) | undefined
  /** Rows kept in the log. */
  maxLogEntries?: number
}

export interface Outbox {
  /** False: the type has no URL or is silenced, and no event of it needs to be written. */
  wanted(type: EventType): boolean
  /** The finished event as storage operations. After `start`; commit them right away, with what caused them, then say `committed`. */
  append(event: WebhookEvent): { eventId: string; ops: Op[] }
  committed(eventId: string): void
  /** Events still to be delivered. */
  backlog(): number
  start(): Promise<void>
  /** Ends the attempt in flight after this many ms at the latest; its event is then tried again after the next start. */
  stop(deadlineMs: number): Promise<void>
  /** One attempt now, before everything else; the entry after it. Throws not_found, not_allowed. */
  resend(eventId: string): Promise<LogEntry>
  /** Puts events back into the normal schedule, due now. */
  resendMany(eventIds: readonly string[]): Promise<{ queued: number; notFound: number }>
}
