/** Makes one POST of an event and records its outcome. Scheduled and manual attempts both use it. */
import type { EventType } from '../../../../src/domain/events.ts'
import { urlField } from '../../../../src/domain/instance.ts'
import { MAX_TRIES } from '../../../../src/domain/webhook-log.ts'
import type { Outcome } from '../../../../src/webhooks/delivery/delivery.ts'
import { validSecrets } from '../../../../src/webhooks/delivery/signature.ts'
import { ANSWER_BYTES, keptAnswer } from '../../../../src/webhooks/kept-answer.ts'
import { type LogRow, maskUrl, withFailure, withoutBody } from '../../../../src/webhooks/log.ts'
import type { Outcomes } from '../../durable-line/outcomes.ts'
import type { Backlog } from '../backlog.ts'
import type { OutboxOptions } from '../contract.ts'
import type { EventRows } from '../event-rows.ts'
import type { Overflow } from '../overflow.ts'
import { KEEP_FAILED_BODY } from '../schedule.ts'
import type { EventLine } from '../turns/delivery-queue.ts'
import type { ReceiverHolds } from '../turns/receiver-holds.ts'
import { deliveryReport } from './delivery-report.ts'
import type { EventChanges } from './event-changes.ts'

export type AttemptNeeds = Pick<
  OutboxOptions,
  | 'instanceId'
  | 'store'
  | 'sealer'
  | 'clock'
  | 'steady'
  | 'webhooks'
  | 'previousSecret'
  | 'deliver'
  | 'log'
  | 'steps'
  | 'onResult'
> & {
  stopping: AbortSignal
  outcomes: Pick<Outcomes, 'write' | 'add' | 'flush' | 'isFull'>
  rows: EventRows
  changes: EventChanges
  line: Pick<EventLine, 'ended' | 'committed' | 'again'>
  backlog: Pick<Backlog, 'changed'>
  holds: ReceiverHolds
  overflow(): Pick<Overflow, 'parked'>
  /** Called when the body of an ended event was stored until its erasure, which is later than every other due time. */
  keptToTheEnd(): void
}

export type DeliveryAttempt = ReturnType<typeof createDeliveryAttempt>

export function createDeliveryAttempt(needs: AttemptNeeds) {
  const { instanceId, clock, steady, webhooks, deliver, log, steps, stopping, outcomes, changes, line, holds } = needs
  const report = deliveryReport(needs)
  /** Posts an event. Rejects only when the outbox is stopped. */
  async function post(eventId: string, type: EventType, url: string, body: Uint8Array, attempt: number): Promise<Outcome> {
    await steps('outbox:before-post', eventId)
    const secrets = [webhooks().secret, ...validSecrets(needs.previousSecret?.(), clock.now())]
    const shown = Math.min(attempt, MAX_TRIES)
    const attempted = { url, secrets, body, type, eventId, instanceId, attempt: shown, answerBytes: ANSWER_BYTES }
    const outcome = await deliver(attempted, stopping).catch((error: unknown): Outcome => {
      if (stopping.aborted) throw error
      log.error(
        { instance_id: instanceId, event_id: eventId, err: error },
        'a webhook attempt failed because of an unexpected error',
      )
      return { ok: false, code: null, error: 'internal', durationMs: 0 }
    })
    await steps('outbox:after-post', eventId)
    return outcome
  }

  /** Returns the row after the attempt. */
  function afterAttempt(before: LogRow, url: string, { ok, code, error, durationMs, ...said }: Outcome): LogRow {
    const attempts = before.attempts + 1
    const row = { ...before, url: maskUrl(url), attempts, code, error: error?.slice(0, 300) ?? null, durationMs }
    const answer = said.answer && keptAnswer(said.answer, url, ok)
    if (!ok) return withFailure(row, clock.now(), answer)
    return answer ? { ...row, answer } : row
  }

  /** Ends an event that was delivered. Its body is removed in the same commit. */
  async function finish(eventId: string, before: LogRow, row: LogRow) {
    const after: LogRow = { ...withoutBody(row), status: 'delivered', finishedAt: clock.now() }
    await end(eventId, before, after)
    report(eventId, after, 'delivered')
  }

  /** Ends an event whose type no longer has a URL. Its body is kept for the same time as that of a failed event, for a manual resend. */
  async function switchedOff(eventId: string, before: LogRow, body: Uint8Array) {
    const dueAt = steady.now() + KEEP_FAILED_BODY
    const after: LogRow = { ...before, status: 'failed', error: 'switched off', body: 'parked', dueAt, finishedAt: clock.now() }
    await end(eventId, before, after, body)
    needs.keptToTheEnd()
    report(eventId, after, 'discarded')
  }

  /** Ends an event. The caller waits for the commit only if too many outcomes are not written yet, or if the event was not in the queue. */
  async function end(eventId: string, before: LogRow, after: LogRow, body?: Uint8Array) {
    outcomes.add(eventId, () => changes.ops(eventId, before, after, body))
    changes.made(eventId, before, after)
    // An event that was not in the queue is found by reading due events from the disk, so its outcome must be written before the next one is read.
    if (outcomes.isFull || before.body !== 'line') await outcomes.flush()
  }

  /** Called when the receiver has answered. If the queue of this URL was held, its delivery continues immediately. */
  function answered(url: string) {
    if (holds.answered(url)) line.again()
  }

  return {
    /**
     * Returns the current URL for events of this type; null if the type has no URL. Whether a type is silenced is checked only when an event is
     * created, so events that are already stored are sent even if their type is silenced later.
     */
    target: (type: EventType) => webhooks()[urlField(type)],
    post,
    afterAttempt,
    finish,
    switchedOff,
    answered,
    report,
  }
}
