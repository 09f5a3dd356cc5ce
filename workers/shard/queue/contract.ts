/** Types of `queue.ts`: its dependencies, its requests and its answers. */

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
 * Thrown if an operation is not possible yet: the network has not decided, or send safety holds the message. This is not a refusal: the item waits
 * this many ms, and other items are sent before it. An immediate operation fails with `action_failed`.
 */
export class TryLater extends Failure {
  readonly afterMs: number

  constructor(afterMs: number, options: { message?: string; cause?: unknown; details?: Record<string, unknown> }) {
    super('action_failed', options)
    this.name = 'TryLater'
    this.afterMs = afterMs
  }
}

/** An item that is sent now. */
export interface SendItem extends StoredItem {
  /** True if an earlier attempt contacted the network before a crash or a lost connection, so the network may already know the message id. */
  again: boolean
  /** Whether the network may know the message id. */
  mayHaveLeft: boolean
  /** Called before anything of the item is sent: from then on the network may know it. */
  leaves(): void
  /** Called after `leaves` if nothing of the item was sent. */
  stays(): void
}

/** The outcome of an attempt, and the writes and calls that belong to it. */
export interface SendResult {
  outcome: SendOutcome
  /** Additional operations for the commit that ends the item. Called right before each attempt of the commit, because a failing disk is retried. */
  commit(): readonly Op[]
  /** Called after the commit that contains the operations of `commit`. */
  after(): void
  /** Budgets of first contacts that the `delivery` event reports as used up. */
  usedUpBudgets?: Delivery['used_up_budgets']
}

/** Returns a result without additional writes and calls. */
export const resultOf = (outcome: SendOutcome): SendResult => ({ outcome, commit: () => [], after() {} })

export interface Enqueue {
  messageId: string
  operation: string
  phone: string
  input: Record<string, unknown>
  /** Beginning of the text or caption; it is truncated here. */
  preview: string | null
  /** Delays in seconds. */
  delayMessage: number | null
  delayTyping: number
  /** Time in epoch ms before which the message is not sent. */
  sendAt?: number | null
  referenceMessageId?: string | null
  requestId?: string | undefined
  bytes?: Uint8Array | undefined
  /** Additional operations for the commit that makes the item durable. */
  also?: ((made: { svcId: string; messageId: string }) => readonly Op[]) | undefined
}

export interface QueueOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  /** Monotonic clock that measures all waits. */
  steady: Clock
  random: () => number
  /** Additional policies that hold items. */
  policies?: readonly HoldPolicy[] | undefined
  /**
   * Whether the network may know the message of the item that was in flight when the previous run ended. By default
   * the answer is yes.
   */
  mayHaveLeft?: ((messageId: string) => Promise<boolean>) | undefined
  /** Whether the person or chat to which an item goes has ever written to this account. */
  hasWritten: (phone: string) => Promise<boolean>
  /**
   * Sends an item. Resolves when the network has accepted or refused it. If it rejects with the failure `instance_not_connected`, the item goes back
   * to the head of the queue; if it rejects with `TryLater`, other items are sent before it.
   */
  send: (item: SendItem) => Promise<SendResult>
  /**
   * Prepares the media of the next item while another item is in flight. `begin` never throws. When the item is sent, `send` uses the prepared media.
   * `discard` deletes what was prepared for this id, or for all items if no id is given.
   */
  ahead?: { wants(operation: string): boolean; begin(item: StoredItem): void; discard(svcId?: string): void } | undefined
  /** Whether the connection is open at this moment. The end of a connection is reported with `setConnected` a little later. */
  isOpen: () => boolean
  settings: () => InstanceSettings
  /** Whether the account was moved to another server, which then sends the items of the queue. By default false. */
  hasMoved?: (() => boolean) | undefined
  /** Whether the owner has paused the instance. Its items do not age during the pause. By default false. */
  isPaused?: (() => boolean) | undefined
  events: Pick<Outbox, 'wanted' | 'append' | 'committed' | 'noted'>
  /** Called after the commit that ended or removed an item, because an HTTP request may still wait for the outcome. */
  announce: (svcId: string, end: SendEnd) => void
  /** Storage of inline media; without it `bytes` are refused. */
  blobs?: Blobs | undefined
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  tally: Pick<Tally, 'add'>
  timer?: Timer
  /** Called at named steps, with the service id of an item. Fault tests kill the process there. */
  steps: Steps
}

export interface Queue {
  /** Queues a message, durably when it resolves. Throws `queue_full` or `queue_disabled_while_disconnected`. */
  enqueue(request: Enqueue): Promise<{ svcId: string; messageId: string }>
  /** Reports whether the instance is connected. Items are sent only while it is, beginning 2 s after the connection. */
  setConnected(connected: boolean): void
  /**
   * Sets or ends (null) the restriction. While the account is restricted, nothing is sent to chats that never wrote to the account. `until` is in
   * epoch ms, or null if unknown; the list of the queue shows it.
   */
  setRestricted(restriction: { until: number | null } | null): void
  /** Called when a person wrote for the first time. */
  reachChanged(): void
  list(query: { page: number; pageSize: number; phone?: string | undefined }): Promise<QueueList>
  /** Returns the number of items that wait for each of these reasons. */
  waitingFor<R extends WaitingReason>(reasons: readonly R[]): Record<R, number>
  /** Finds an item by its id or the id of its message. */
  find(id: string): Promise<QueueEntry | undefined>
  /** Removes all items, or those to one chat, and returns their number. The item in flight stays. */
  clear(phone?: string): Promise<number>
  /** Removes an item. False if it is unknown, already sent, or in flight. */
  remove(svcId: string): Promise<boolean>
  /** Number of waiting items, without the one in flight. */
  waiting(): number
  /** Returns by how many ms the times in the ids of items are ahead of the clock; 0 if they are not ahead. */
  idsAhead(): number
  /** Time in epoch ms at which the sending of the item began; undefined if it has not begun, or has ended. */
  leftAt(svcId: string): number | undefined
  /** Message id of the item that is in flight, or that was in flight when the process or the connection ended: the network may know this id. */
  undecided(): string | undefined
  start(): Promise<void>
  /**
   * Stops the queue. Waits at most this many ms for the item in flight; if this item has no outcome by then, it is sent again after the next start.
   */
  stop(deadlineMs: number): Promise<void>
}

export type QueueList = Page<QueueEntry>
