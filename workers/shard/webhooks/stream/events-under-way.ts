/**
 * Tracks the events for streams that are not on disk yet. Later events must wait for them, so that readers get the
 * events in order.
 */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import type { EventType } from '../../../../src/domain/events.ts'

/**
 * Maximum time in ms for which an event that is not on disk delays later events. It is limited because the commit of
 * the event may have failed.
 */
const HOLDS_BACK = MINUTE
/** Maximum number of events that are tracked. If there are more, the commits of the oldest count as failed. */
const MAX_UNDER_WAY = 1_000

interface Made {
  type: EventType
  bytes: number
  isForWebhook: boolean
}

export function createEventsUnderWay(clock: Clock) {
  /** Events that are not on disk, by id. `isPassed` is true if readers may already have received later events. */
  const underWay = new Map<string, Made & { at: number; isPassed: boolean }>()
  return {
    isEmpty: () => underWay.size === 0,
    add(eventId: string, made: Made): void {
      underWay.set(eventId, { ...made, at: clock.now(), isPassed: false })
      if (underWay.size > MAX_UNDER_WAY) underWay.delete(underWay.keys().next().value!)
    },
    take(eventId: string) {
      const made = underWay.get(eventId)
      underWay.delete(eventId)
      return made
    },
    /**
     * Returns the id before which all events are on disk, except those that have waited for longer than `HOLDS_BACK`.
     * `newest`: an id after all events so far.
     */
    complete(newest: string): string {
      const now = clock.now()
      for (const [id, made] of underWay) {
        if (now - made.at < HOLDS_BACK) return id
        made.isPassed = true
      }
      return newest
    },
  }
}
