/** The types of `queue.ts`: its dependencies, requests and answers. */

import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { Page } from '../../../src/domain/page.ts'
import type { SendOutcome } from '../../../src/domain/send-outcome.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Blobs } from '../../../src/storage/blobs.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { QueueEntry, Waiting } from './item.ts'
import type { StoredItem } from './item-store.ts'

/**
 * The network does not decide yet whether something can be done, which is no refusal: the item waits so many ms, and others overtake it.
 * For an immediate operation it is `action_failed`.
 */
export class TryLater extends Failure {
  readonly afterMs: number

  constructor(afterMs: number, options: { cause?: unknown; details?: Record<string, unknown> }) {
    super('action_failed', options)
    this.name = 'TryLater'
    this.afterMs = afterMs
  }
}

/** An item that is to be sent now. */
export interface SendItem extends StoredItem {
  /** Its network call had begun before a crash or a lost connection: the network may know the message id already. */
  again: boolean
}

export interface Enqueue {
  messageId: string
  operation: string
  phone: string
  input: Record<string, unknown>
  /** Text or caption; cut here. */
  preview: string | null
  /** Seconds. */
  delayMessage: number | null
  delayTyping: number
  referenceMessageId?: string | null
  requestId?: string | undefined
  bytes?: Uint8Array | undefined
  /** More operations for the commit that makes the item durable. */
  also?: ((made: { svcId: string; messageId: string }) => readonly Op[]) | undefined
}

export interface QueueOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  /** Every wait is measured by it. */
  steady: Clock
  random: () => number
  /** Whether somebody ever wrote to this account: destination as an item has it. */
  hasWritten: (phone: string) => Promise<boolean>
  /**
   * Resolves when the network has decided. Rejecting with Failure instance_not_connected puts the item back at the head, with `TryLater`
   * aside.
   */
  send: (item: SendItem) => Promise<SendOutcome>
  /** Whether the connection stands at this moment; `setConnected` reports its end a little later. */
  isOpen: () => boolean
  settings: () => InstanceSettings
  events: Pick<Outbox, 'wanted' | 'append' | 'committed' | 'noted'>
  /** More operations for the commit that ends an item: asked for right before each try of it, as a disk that fails is waited for. */
  onDelivery?: ((item: Waiting, outcome: SendOutcome) => () => readonly Op[]) | undefined
  /** After that commit. */
  onSettled?: ((item: Waiting, outcome: SendOutcome) => void) | undefined
  /** Behind the commit that took out an item somebody removed. */
  onRemoved?: ((item: Waiting) => void) | undefined
  /** Where inline media waits; without it `bytes` are refused. */
  blobs?: Blobs | undefined
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  timer?: Timer
  /** Where fault tests stop; about the service id of an item. */
  steps: Steps
}

export interface Queue {
  /** Durable when it resolves. Throws queue_full, queue_disabled_while_disconnected. */
  enqueue(request: Enqueue): Promise<{ svcId: string; messageId: string }>
  /** Items leave only while connected, from 2 s after. */
  setConnected(connected: boolean): void
  /**
   * While the network restricts the account nothing leaves to chats that never wrote to it. Null: it does not; `until`: epoch ms as far as
   * it is known, for the list.
   */
  setRestricted(restriction: { until: number | null } | null): void
  /** Somebody wrote for the first time. */
  reachChanged(): void
  list(query: { page: number; pageSize: number; phone?: string | undefined }): Promise<QueueList>
  /** By its id or the id of its message. */
  find(id: string): Promise<QueueEntry | undefined>
  /** Number of items removed: all, or those to one chat. The item in flight stays. */
  clear(phone?: string): Promise<number>
  /** False: unknown, already sent, or in flight. */
  remove(svcId: string): Promise<boolean>
  /** Items that wait, the one in flight not counted. */
  waiting(): number
  /** How far ids of items are ahead of the clock, in ms; 0: they are not. */
  idsAhead(): number
  /** Message id of the item that is in flight, or was when the process or the connection went: the network may know it. */
  undecided(): string | undefined
  start(): Promise<void>
  /** Waits this many ms at most for the item in flight; one that is not decided then is sent again after the next start. */
  stop(deadlineMs: number): Promise<void>
}

export type QueueList = Page<QueueEntry>
