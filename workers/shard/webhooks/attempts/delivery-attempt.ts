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
  /**
   * Must be called when an event has ended and its body stays stored. The body's erasure then enters the list of due
   * events.
   */
  keptToTheEnd(): void
}

export type DeliveryAttempt = ReturnType<typeof createDeliveryAttempt>

export function createDeliveryAttempt(needs: AttemptNeeds) {
  const { instanceId, clock, steady, webhooks, deliver, log, steps, stopping, outcomes, changes, line, holds } = needs
  const report = deliveryReport(needs)
  /** Posts an event once, and returns the outcome. Rejects only when the outbox is stopped. */
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

  function afterAttempt(before: LogRow, url: string, { ok, code, error, durationMs, ...said }: Outcome): LogRow {
    const attempts = before.attempts + 1
    const row = { ...before, url: maskUrl(url), attempts, code, error: error?.slice(0, 300) ?? null, durationMs }
    const answer = said.answer && keptAnswer(said.answer, url, ok)
    if (!ok) return withFailure(row, clock.now(), answer)
    return answer ? { ...row, answer } : row
  }

  async function finish(eventId: string, before: LogRow, row: LogRow) {
    const after: LogRow = { ...withoutBody(row), status: 'delivered', finishedAt: clock.now() }
    await end(eventId, before, after)
    report(eventId, after, 'delivered')
  }

  /**
   * Ends an event whose type no longer has a URL. Its body is kept like that of a failed event, for a manual resend.
   */
  async function switchedOff(eventId: string, before: LogRow, body: Uint8Array) {
    const dueAt = steady.now() + KEEP_FAILED_BODY
    const after: LogRow = { ...before, status: 'failed', error: 'switched off', body: 'parked', dueAt, finishedAt: clock.now() }
    await end(eventId, before, after, body)
    needs.keptToTheEnd()
    report(eventId, after, 'discarded')
  }

  /**
   * Records that an event has ended. Waits for the commit only if too many outcomes are not written yet, or if the
   * event was not in the queue.
   */
  async function end(eventId: string, before: LogRow, after: LogRow, body?: Uint8Array) {
    outcomes.add(eventId, () => changes.ops(eventId, before, after, body))
    changes.made(eventId, before, after)
    // An event outside of the queue is found on disk, so its outcome must be written before the next event is read.
    if (outcomes.isFull || before.body !== 'line') await outcomes.flush()
  }

  function answered(url: string) {
    if (holds.answered(url)) line.again()
  }

  return {
    /**
     * Returns the URL of a type, or null if it has none. Whether the type is silenced is only checked when an event
     * is created, so stored events are still sent.
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
