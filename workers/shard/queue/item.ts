import { encodeTime } from 'ulid'
import * as v from 'valibot'
import { iso } from '../../../src/domain/clock.ts'
import type { SendOutcome } from '../../../src/domain/send-outcome.ts'
import type { WaitingReason } from '../../../src/domain/waiting-reason.ts'
import type { Delivery, DeliveryEvent } from '../../../src/features/webhook-payloads.ts'
import { type Repository, repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'

const time = v.pipe(v.number(), v.integer())

const ItemSchema = v.object({
  svcId: v.string(),
  messageId: v.string(),
  operation: v.string(),
  phone: v.string(),
  /** Id of the message to which a reaction, pin, deletion, edit, vote or response refers. */
  referenceMessageId: v.nullable(v.string()),
  input: v.record(v.string(), v.unknown()),
  preview: v.nullable(v.string()),
  /** Interval before the message in seconds, or null for the random interval of the instance. */
  delayMessage: v.nullable(v.number()),
  delayTyping: v.number(),
  queuedAt: time,
  sendAt: v.optional(time),
  /** Whether the item has inline media, which is stored in `blobs:` under `keys.blob`. */
  hasBytes: v.boolean(),
  requestId: v.optional(v.string()),
})
export type QueueItem = v.InferOutput<typeof ItemSchema>

/** The part of a queued item that is kept in memory. It never contains the content of the message. */
export interface Waiting extends Omit<QueueItem, 'input' | 'preview' | 'delayTyping'> {
  /** Time of the monotonic clock from which the item waits and ages; Infinity before its `send_at`. */
  arrivedAt: number
  /** Time in ms for which the item did not age. */
  heldMs: number
  /** Sort key of the order of sending. It can be compared with a `svcId`. */
  place: string
  /** Time in epoch ms of this run's latest attempt that began with an open connection; undefined if there was none. */
  leftAt: number | undefined
  wasTried?: boolean
  mayHaveLeft?: boolean
}

export const queueItems = (sealed: Sealer): Repository<QueueItem> =>
  repository({ name: 'queue item', schema: ItemSchema, version: 1, sealed })

/**
 * Returns the time in epoch ms from which the item waits and ages: its `send_at`, or the time at which it was
 * queued if that is later.
 */
export const waitsFrom = ({ queuedAt, sendAt = 0 }: Pick<QueueItem, 'queuedAt' | 'sendAt'>) => Math.max(queuedAt, sendAt)

/** Returns the sort key of an item. An item with a `send_at` is sorted like an item that is queued at that time. */
const placeOf = (item: QueueItem) => (waitsFrom(item) > item.queuedAt ? encodeTime(waitsFrom(item)) + item.svcId : item.svcId)

/**
 * Returns the part of an item that is kept in memory. The fields are copied one by one, because a rest pattern is a
 * dozen times slower.
 */
export const waitingOf = (item: QueueItem, arrivedAt: number): Waiting => ({
  svcId: item.svcId,
  messageId: item.messageId,
  operation: item.operation,
  phone: item.phone,
  referenceMessageId: item.referenceMessageId,
  delayMessage: item.delayMessage,
  queuedAt: item.queuedAt,
  sendAt: item.sendAt,
  hasBytes: item.hasBytes,
  requestId: item.requestId,
  arrivedAt,
  heldMs: 0,
  place: placeOf(item),
  leftAt: undefined,
})

const PREVIEW_CHARACTERS = 120

export const previewOf = (text: string | null): string | null =>
  text === null || text.length <= PREVIEW_CHARACTERS
    ? text
    : [...text.slice(0, 2 * PREVIEW_CHARACTERS)].slice(0, PREVIEW_CHARACTERS).join('')

export interface QueueEntry {
  svc_id: string
  message_id: string
  phone: string
  operation: string
  status: 'waiting' | 'processing'
  waiting_reason: WaitingReason | null
  position: number
  preview: string | null
  delay_message: number | null
  delay_typing: number
  queued_at: string
  send_at: string | null
  send_after: string | null
  expires_at: string
}

export interface Place {
  status: 'waiting' | 'processing'
  position: number
  /** Earliest time of sending in epoch ms; null if unknown. If the item is in flight, the time at which this began. */
  sendAfter: number | null
  reason: QueueEntry['waiting_reason']
  /** Time in epoch ms at which the item expires. */
  expiresAt: number
}

export function toEntry(item: QueueItem, { status, position, sendAfter, reason, expiresAt }: Place): QueueEntry {
  return {
    svc_id: item.svcId,
    message_id: item.messageId,
    phone: item.phone,
    operation: item.operation,
    status,
    waiting_reason: reason,
    position,
    preview: item.preview,
    delay_message: item.delayMessage,
    delay_typing: item.delayTyping,
    queued_at: iso(item.queuedAt),
    send_at: item.sendAt === undefined ? null : iso(item.sendAt),
    send_after: sendAfter === null ? null : iso(sendAfter),
    expires_at: iso(expiresAt),
  }
}

const isGroup = (phone: string) => phone.endsWith('-group')

export function deliveryEvent(
  item: Waiting,
  { outcome, usedUpBudgets }: { outcome: SendOutcome; usedUpBudgets?: Delivery['used_up_budgets'] },
  at: number,
): DeliveryEvent {
  const failed = outcome.status === 'failed'
  const phone = (!failed && outcome.phone) || item.phone
  return {
    type: 'delivery',
    at,
    leftAt: item.leftAt,
    body: {
      message_id: item.messageId,
      id: item.messageId,
      svc_id: item.svcId,
      operation: item.operation,
      phone,
      is_group: isGroup(phone),
      reference_message_id: item.referenceMessageId,
      status: outcome.status,
      error_code: failed ? outcome.code : null,
      error_message: failed ? outcome.message.slice(0, 512) : null,
      queued_at: iso(item.queuedAt),
      ...(usedUpBudgets && { used_up_budgets: usedUpBudgets }),
    },
  }
}
