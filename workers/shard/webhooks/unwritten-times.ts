/**
 * Writes the times of the chats (`event-times.ts`) in the commits of some of the events. Until then a time is only in memory, and in the row of its
 * event in the log. Each time that is written changes another page of the store, so the times of an active chat are written once for many events.
 */
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'

/** Time in ms between two commits with times, and number of events after which the times are written earlier. */
const EVERY = 10 * SECOND
const EVENTS_BETWEEN = 24
/** The most times in one commit. An event has at most two. On a nearly full disk, a commit must not need much more space than others. */
const AT_ONCE = 2 * EVENTS_BETWEEN

export const bytesOf = (at: number) => Buffer.from(String(at))

export function createUnwrittenTimes({ instanceId, steady }: { instanceId: string; steady: Clock }) {
  const times = new Map<string, number>()
  let events = 0
  let nextAt = Number.NEGATIVE_INFINITY
  /** The last event whose commit includes times. */
  let carrier: { eventId: string; some: readonly (readonly [name: string, at: number])[] } | undefined

  return {
    changed(name: string, at: number): void {
      times.set(name, at)
    },
    evicted(name: string): void {
      times.delete(name)
    },
    /** Returns the operations for the commit of this event, the newest one; often none. */
    take(eventId: string): Op[] {
      events++
      const now = steady.now()
      if (events < EVENTS_BETWEEN && now < nextAt) return []
      const some = [...times].slice(0, AT_ONCE)
      carrier = { eventId, some }
      const ops = some.map(([name, at]): Op => [keys.momment(instanceId, name), bytesOf(at)])
      // If commits failed, there may be more times. The next events write the others.
      if (some.length < times.size) return ops
      events = 0
      nextAt = now + EVERY
      return [...ops, [keys.mommentsUpTo(instanceId), Buffer.from(eventId)]]
    },
    /** Called after the commit of an event. If the commit fails, its times are written with a later event. */
    committed(eventId: string): void {
      if (carrier?.eventId !== eventId) return
      for (const [name, at] of carrier.some) if (times.get(name) === at) times.delete(name)
      carrier = undefined
    },
  }
}
