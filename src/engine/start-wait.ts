/**
 * A call for an instance whose start still waits in the line of its network route. It moves that start to the head of the
 * line and waits for it, so that callers are not refused only because many instances start at the same time.
 */
import { SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { orLate } from '../lib/deadline.ts'
import type { Placed, Placement } from './placement.ts'

/** Milliseconds for which a call waits. Callers of a standby wait for the same time. */
const PATIENCE = 3 * SECOND
/** Further calls are refused at once. The memory of the bodies that wait is limited where they are read. */
const MOST_WAITING = 1_000

/** Resolves when the start of the instance has been sent to its shard, or has become unnecessary. */
export function createStartWait(placement: Pick<Placement, 'find'>): (instance: string) => Promise<Placed> {
  let waiting = 0
  return async (instance) => {
    if (waiting >= MOST_WAITING) throw notStarted()
    waiting++
    const endsAt = steadyClock.now() + PATIENCE
    try {
      for (;;) {
        const entry = placement.find(instance)
        if (entry.inLine === undefined) return entry
        entry.inLine.moveAhead()
        const refuse = () => {
          throw notStarted()
        }
        await orLate(entry.inLine.left, endsAt - steadyClock.now(), refuse)
      }
    } finally {
      waiting--
    }
  }
}

const notStarted = () =>
  new Failure('engine_unavailable', {
    message:
      'This instance has not been started yet, because the service has just started and starts a limited number of instances a second; nothing of the request was carried out.',
    details: { reason: 'not_started' },
  })
