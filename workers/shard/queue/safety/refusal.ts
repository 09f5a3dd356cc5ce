import { iso } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import type { Wait } from './rules.ts'

/**
 * Returns the error for a message that must wait but is not in the queue. `until` of the wait is in epoch ms.
 */
export function refusalOf({ reason, until }: Wait): Failure {
  const end = reason === 'unanswered' ? ' until the person answers' : until === null ? '' : ` until ${iso(until)}`
  return new Failure('held_by_send_safety', {
    message: `Send safety of the instance holds messages to this person${end} (${reason}).`,
    details: { waiting_reason: reason, send_after: until === null ? null : iso(until) },
  })
}
