/** The events of streams that are created and not known to be on disk, in the order of their ids. */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import type { EventType } from '../../../../src/domain/events.ts'

/** An event that is created but not on disk delays later ones for at most this long, because its commit may have failed. */
const HOLDS_BACK = MINUTE
/** Number of events that are not on disk: more of them have finally failed, and the oldest are evicted. */
const MAX_UNDER_WAY = 1_000

interface Made {
  type: EventType
  bytes: number
  isForWebhook: boolean
}

/** `clock` must not step. */
export function createEventsUnderWay(clock: Clock) {
  /** `isPassed`: readers may already have later events. */
  const underWay = new Map<string, Made & { at: number; isPassed: boolean }>()
  return {
    isEmpty: () => underWay.size === 0,
    add(eventId: string, made: Made): void {
      underWay.set(eventId, { ...made, at: clock.now(), isPassed: false })
      if (underWay.size > MAX_UNDER_WAY) underWay.delete(underWay.keys().next().value!)
    },
    /** The event is on disk. */
    take(eventId: string) {
      const made = underWay.get(eventId)
      underWay.delete(eventId)
      return made
    },
    /** The disk is complete before this id: no earlier event is still on its way there. `newest`: after every event so far. */
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
