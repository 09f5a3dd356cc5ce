/**
 * Holds back items that others overtake: those that a restriction of the account holds (`restricted.ts`), and those
 * that the network has not decided on yet (`TryLater`), each until its own time.
 */
import type { QueueLine, Waiting } from '../item.ts'
import type { Restricted } from './restricted.ts'

/** Reason why an item is held. `until` is a time of the steady clock; null if unknown. */
export interface Hold {
  reason: 'restricted' | 'later'
  until: number | null
}

export interface Holds {
  /** Returns the hold of an item; undefined if it may be sent. */
  of(item: Waiting): Hold | undefined
  /** Returns the next item to send: the first that others need not overtake. */
  next(): Waiting | undefined
  /** Returns the time at which the first of the items with a time is released; undefined if there are none. */
  nextEnd(): number | undefined
  later(item: Waiting, until: number): void
  gone(items: readonly Waiting[]): void
}

export function createHolds(now: () => number, line: Pick<QueueLine, 'rows'>, restricted: Pick<Restricted, 'holding'>): Holds {
  const later = new Map<string, number>()

  function holdOf(item: Waiting): Hold | undefined {
    const restriction = restricted.holding(item)
    if (restriction) return { reason: 'restricted', until: restriction.until }
    const until = later.get(item.svcId)
    return until !== undefined && until > now() ? { reason: 'later', until } : undefined
  }

  return {
    of: holdOf,
    next: () => line.rows.find((item) => holdOf(item) === undefined),
    nextEnd() {
      const ends = [...later.values()].filter((end) => end > now())
      return ends.length === 0 ? undefined : Math.min(...ends)
    },
    later: (item, until) => void later.set(item.svcId, until),
    gone(items) {
      for (const { svcId } of items) later.delete(svcId)
    },
  }
}
