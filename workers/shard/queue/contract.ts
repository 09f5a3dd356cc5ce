import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { Page } from '../../../src/domain/page.ts'
import type { SendEnd, SendOutcome } from '../../../src/domain/send-outcome.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { WaitingReason } from '../../../src/domain/waiting-reason.ts'
import type { Delivery } from '../../../src/features/webhook-payloads.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { Blobs } from '../../../src/storage/blobs.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { QueueEntry } from './item.ts'
import type { StoredItem } from './item-store.ts'
import type { HoldPolicy } from './line/holds.ts'

/**
 * Thrown if an operation is not possible yet. A queued item waits for `afterMs`, and other items are sent before it. An
 * immediate operation fails with `action_failed`.
 */
export class TryLater extends Failure {
  readonly afterMs: number

  constructor(afterMs: number, options: { message?: string; cause?: unknown; details?: Record<string, unknown> }) {
    super('action_failed', options)
    this.name = 'TryLater'
    this.afterMs = afterMs
  }
}

export interface SendItem extends StoredItem {
  again: boolean
  /** Whether the network may know the message id. */
  mayHaveLeft: boolean
  /** Must be called before anything of the item is sent. From then on, the network may know the message. */
  leaves(): void
  /** Must be called after `leaves` if nothing was sent after all. */
  stays(): void
}

export interface SendResult {
  outcome: SendOutcome
  /**
   * Returns the operations for the commit that ends the item. It is called before each try of this commit, which is
   * repeated while the disk fails.
   */
  commit(): readonly Op[]
  after(): void
  /** Limits for messages to new people that the `delivery` event reports as used up. */
  usedUpBudgets?: Delivery['used_up_budgets']
}

export const resultOf = (outcome: SendOutcome): SendResult => ({ outcome, commit: () => [], after() {} })

export interface Enqueue {
  /** Returns the message id for the `svcId` that the queue has given to the item. */
  messageId: (svcId: string) => string
  operation: string
  phone: string
  input: Record<string, unknown>
  preview: string | null
  /** Interval before the message in seconds, or null for the random interval of the instance. */
  delayMessage: number | null
  delayTyping: number
  /** Time in epoch ms before which the message is not sent. */
  sendAt?: number | null
  referenceMessageId?: string | null
  requestId?: string | undefined
  bytes?: Uint8Array | undefined
  also?: ((made: { svcId: string; messageId: string }) => readonly Op[]) | undefined
}

export interface QueueOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  steady: Clock
  random: () => number
  /** Additional policies that hold items back. */
  policies?: readonly HoldPolicy[] | undefined
  /**
   * Whether the network may know the message that was in flight when the previous run ended. The default answer is yes.
   */
  mayHaveLeft?: ((messageId: string) => Promise<boolean>) | undefined
  /** Whether this person has ever written to the account. True for groups, channels and the status. */
  hasWritten: (phone: string) => Promise<boolean>
  /**
   * Resolves when the network has accepted or refused the item. After `instance_not_connected` the item goes back to
   * the head of the queue; after `TryLater` other items are sent before it.
   */
  send: (item: SendItem) => Promise<SendResult>
  /**
   * Prepares the media of the next item while another item is in flight. `begin` never throws. `discard` deletes what
   * was prepared for this id, or for all items if there is no id.
   */
  ahead?: { wants(operation: string): boolean; begin(item: StoredItem): void; discard(svcId?: string): void } | undefined
  /** Whether the connection is open at this moment. `setConnected` reports the loss of a connection a little later. */
  isOpen: () => boolean
  settings: () => InstanceSettings
  /** Whether the device was moved to another program or server, so that nothing is sent from here. By default false. */
  hasMoved?: (() => boolean) | undefined
  /** Whether the owner has paused the instance. Items do not age during the pause. By default false. */
  isPaused?: (() => boolean) | undefined
  events: Pick<Outbox, 'wanted' | 'append' | 'committed' | 'noted'>
  /** Called after the commit that ended or removed an item, because an HTTP request may wait for the outcome. */
  announce: (svcId: string, end: SendEnd) => void
  /** Storage of inline media; without it `bytes` are refused. */
  blobs?: Blobs | undefined
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  tally: Pick<Tally, 'add'>
  timer?: Timer
  steps: Steps
}

export interface Queue {
  /**
   * The message is on disk when this resolves. Rejects with `queue_full`, `queue_disabled_while_disconnected`, or
   * `engine_unavailable` if the queue does not run.
   */
  enqueue(request: Enqueue): Promise<{ svcId: string; messageId: string }>
  setConnected(connected: boolean): void
  /**
   * Begins a restriction of the account: items for people who never wrote to it wait. Null ends the restriction.
   * `until` is in epoch ms, or null if unknown.
   */
  setRestricted(restriction: { until: number | null } | null): void
  reachChanged(): void
  list(query: { page: number; pageSize: number; phone?: string | undefined }): Promise<QueueList>
  waitingFor<R extends WaitingReason>(reasons: readonly R[]): Record<R, number>
  find(id: string): Promise<QueueEntry | undefined>
  clear(phone?: string): Promise<number>
  /** Removes a waiting item. Returns false if the item is unknown, already sent, or in flight. */
  remove(svcId: string): Promise<boolean>
  waiting(): number
  /**
   * Returns by how many ms the ids of items are ahead of the clock, or 0. An id contains the time at which it was made.
   */
  idsAhead(): number
  /**
   * Time in epoch ms of the item's latest attempt in this run that began with an open connection. Undefined if there
   * was none, or if the item has left the queue.
   */
  leftAt(svcId: string): number | undefined
  /**
   * Message id of the item that is in flight, or was in flight when the connection or the previous run ended. The
   * network may know this message.
   */
  undecided(): string | undefined
  start(): Promise<void>
  /**
   * Waits at most this many ms for the item in flight. An item without an outcome by then is sent again after the next
   * start.
   */
  stop(deadlineMs: number): Promise<void>
}

export type QueueList = Page<QueueEntry>
