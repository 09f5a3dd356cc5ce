/** Holds an item until its `send_at`. Then it is treated as if it had been queued at that time. */
import type { Clock } from '../../../../src/domain/clock.ts'
import { type QueueItem, waitsFrom } from '../item.ts'
import type { HoldPolicy } from './holds.ts'

const NOT_YET = Number.POSITIVE_INFINITY

export interface SendAt extends HoldPolicy {
  arrivalOf(item: QueueItem): number
}

export interface SendAtDeps {
  clock: Clock
  steady: Clock
  /**
   * Whether the item was in flight when the process ended. The network may have it, so it is sent immediately, even if
   * the clock was set back.
   */
  isUndecided(svcId: string): boolean
}

export function createSendAt({ clock, steady, isUndecided }: SendAtDeps): SendAt {
  return {
    clock,
    arrivalOf(item) {
      const now = clock.now()
      if (item.sendAt !== undefined && item.sendAt > now && item.sendAt > item.queuedAt) return NOT_YET
      // If the clock was ahead before, `queuedAt` is in the future and counts as now.
      return steady.now() - Math.max(0, now - waitsFrom(item))
    },
    holding(item) {
      if (item.arrivedAt !== NOT_YET) return undefined
      if (clock.now() < item.sendAt! && !isUndecided(item.svcId)) return { reason: 'send_at', until: item.sendAt! }
      // The item does not wait for `send_at` again, even if the clock is set back.
      item.arrivedAt = steady.now()
      return undefined
    },
  }
}
