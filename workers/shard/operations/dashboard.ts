import { iso, MINUTE } from '../../../src/domain/clock.ts'
import { MESSAGE_STATES, type MessageState, type Timeline, type TimelineStep } from '../../../src/domain/dashboard.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { LogDetail } from '../../../src/domain/webhook-log.ts'
import type { Fact } from '../messages/message-timeline.ts'
import type { QueueEntry } from '../queue/item.ts'
import { bodyOf, messageRows } from './message-list.ts'
import type { Handlers } from './types.ts'

const MAX_EVENTS = 100
/**
 * Maximum number of receipts with one status that are shown individually. If there are more, they are combined by the
 * minute.
 */
const MAX_RECEIPTS = 20

const ORDER: readonly TimelineStep['kind'][] = [
  'queued',
  'waiting',
  'left',
  'acknowledged',
  'failed',
  'receipt',
  'event',
  'webhook',
]

/** Returns undefined if the log no longer has the event; every other error is thrown again. */
function unlessGone(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'not_found') return undefined
  throw error
}

type End = Extract<Fact, { kind: 'end' }>
type ReceiptFact = Extract<Fact, { kind: 'receipt' }>

function queueSteps({ queued_at, status, send_after, waiting_reason }: QueueEntry, leftAt: number | undefined): TimelineStep[] {
  const queued: TimelineStep = { kind: 'queued', at: queued_at }
  if (status === 'waiting') return [queued, { kind: 'waiting', at: send_after, reason: waiting_reason }]
  return leftAt === undefined ? [queued] : [queued, { kind: 'left', at: iso(leftAt) }]
}

function endSteps({ at, queuedAt, leftAt, errorCode }: End): TimelineStep[] {
  return [
    { kind: 'queued', at: iso(queuedAt) },
    ...(leftAt === null ? [] : [{ kind: 'left', at: iso(leftAt) } as const]),
    errorCode === null ? { kind: 'acknowledged', at: iso(at) } : { kind: 'failed', at: iso(at), error_code: errorCode },
  ]
}

function receiptSteps(receipts: readonly ReceiptFact[]): TimelineStep[] {
  return [...new Set(receipts.map(({ status }) => status))].flatMap((status) => {
    const same = receipts.filter((each) => each.status === status)
    if (same.length <= MAX_RECEIPTS) return same.map(({ at }): TimelineStep => ({ kind: 'receipt', at: iso(at), status, by: 1 }))
    const minutes = new Map<number, number>()
    for (const { at } of same) minutes.set(Math.floor(at / MINUTE), (minutes.get(Math.floor(at / MINUTE)) ?? 0) + 1)
    return [...minutes].map(([minute, by]): TimelineStep => ({ kind: 'receipt', at: iso(minute * MINUTE), status, by }))
  })
}

function eventSteps({ entry, attempts }: LogDetail): TimelineStep[] {
  const { id: event_id, type, status, created_at, next_attempt_at } = entry
  const before = Math.max(0, entry.attempts - attempts.length)
  return [
    { kind: 'event', at: created_at, event_id, type, status, next_attempt_at },
    ...attempts.map((each, index): TimelineStep => ({ kind: 'webhook', event_id, type, attempt: before + index + 1, ...each })),
  ]
}

const timeOf = ({ at }: TimelineStep) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))

/**
 * Returns the rank of a step in the life of a message. Times alone do not give the order, because the network gives
 * times of receipts in whole seconds.
 */
const stageOf = (step: TimelineStep) =>
  ORDER.indexOf(step.kind) + (step.kind === 'receipt' ? MESSAGE_STATES.indexOf(step.status as MessageState) / 10 : 0)

/** Sorts the steps by time, except that a step of the message never stands before a step that must precede it. */
function inOrder(steps: readonly TimelineStep[]): TimelineStep[] {
  const isEvent = ({ kind }: TimelineStep) => kind === 'event' || kind === 'webhook'
  let soFar = 0
  const passed = steps
    .filter((step) => !isEvent(step))
    .sort((one, other) => stageOf(one) - stageOf(other) || timeOf(one) - timeOf(other))
    .map((step) => {
      soFar = Math.max(soFar, timeOf(step))
      return { step, at: soFar }
    })
  const events = steps.filter(isEvent).map((step) => ({ step, at: timeOf(step) }))
  return [...passed, ...events]
    .sort((one, other) => one.at - other.at || stageOf(one.step) - stageOf(other.step))
    .map(({ step }) => step)
}

export const dashboard: Handlers<typeof import('../../../src/features/dashboard.ts')> = {
  'dashboard.history': async ({ history }) => ({ data: await history() }),

  'dashboard.messages': async (context, query) => ({ data: await messageRows(context, query) }),

  async 'dashboard.messageBody'(context, { message_id }) {
    const body = await bodyOf(context, message_id)
    context.log.info({ message_id }, 'dashboard: the content of a message was shown to an administrator')
    return body
  },

  async 'dashboard.timeline'({ config, queue, timeline, outbox, messages, inbound }, { id }): Promise<Timeline> {
    const entry = await queue.find(id)
    // The time of sending is read first, because the item may end while the facts are being read.
    const leftAt = entry && queue.leftAt(entry.svc_id)
    const facts = await timeline.find(id)
    const end = facts.find((fact) => fact.kind === 'end') as End | undefined
    const receipts = facts.filter((fact) => fact.kind === 'receipt') as ReceiptFact[]
    if (!entry && !end && receipts.length === 0) throw new Failure('not_found', { message: 'No message with this id is known.' })
    const eventIds = [...new Set([end?.eventId, ...receipts.map(({ eventId }) => eventId)])].flatMap((each) => each ?? [])
    const details = await Promise.all(eventIds.slice(0, MAX_EVENTS).map((each) => outbox.detail(each).catch(unlessGone)))
    const chatOf = async (messageId: string) => {
      const message = await messages.get(messageId, () => true)
      return message && (await inbound.shown(message))?.body.phone
    }
    const told = end ? receipts.filter(({ status }) => status !== 'sent') : receipts
    const steps = [
      ...(entry && !end ? queueSteps(entry, leftAt) : []),
      ...(end ? endSteps(end) : []),
      ...receiptSteps(told),
      ...details.flatMap((detail) => (detail ? eventSteps(detail) : [])),
    ]
    return {
      instance_id: config.id,
      message_id: end?.messageId ?? entry?.message_id ?? id,
      svc_id: end?.svcId ?? entry?.svc_id ?? null,
      correspondent: entry?.phone ?? details.find((detail) => detail?.entry.phone)?.entry.phone ?? (await chatOf(id)) ?? null,
      operation: end?.operation ?? entry?.operation ?? null,
      state: end ? (end.errorCode === null ? 'sent' : 'failed') : (entry?.status ?? 'unknown'),
      steps: inOrder(steps),
    }
  },
}
