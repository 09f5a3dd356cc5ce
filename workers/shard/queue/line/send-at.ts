/**
 * Holds items until their `send_at`. From then on they wait like items that were queued at that time: behind those that were queued before
 * (`placeOf` in `item.ts`), with the interval and the age counted from it.
 */
import type { Clock } from '../../../../src/domain/clock.ts'
import { type QueueItem, waitsFrom } from '../item.ts'
import type { HoldPolicy } from './holds.ts'

const NOT_YET = Number.POSITIVE_INFINITY

export interface SendAt extends HoldPolicy {
  /** Returns `arrivedAt` of an item that was queued in this run or an earlier one. */
  arrivalOf(item: QueueItem): number
}

export interface SendAtDeps {
  clock: Clock
  steady: Clock
  /** Whether the item was in flight when the process ended: the network may have it, so it leaves again even if the clock was set back. */
  isUndecided(svcId: string): boolean
}

export function createSendAt({ clock, steady, isUndecided }: SendAtDeps): SendAt {
  return {
    clock,
    arrivalOf(item) {
      const now = clock.now()
      if (item.sendAt !== undefined && item.sendAt > now && item.sendAt > item.queuedAt) return NOT_YET
      // A clock that was ahead may have written a time in the future, which counts as now.
      return steady.now() - Math.max(0, now - waitsFrom(item))
    },
    holding(item) {
      if (item.arrivedAt !== NOT_YET) return undefined
      if (clock.now() < item.sendAt! && !isUndecided(item.svcId)) return { reason: 'send_at', until: item.sendAt! }
      // A clock that is set back afterwards does not make the item wait again.
      item.arrivedAt = steady.now()
      return undefined
    },
  }
}
