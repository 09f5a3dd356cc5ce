/**
 * Items that others overtake: those that the restriction of the account holds (`restricted.ts`), and those that the network has not decided
 * on yet (`TryLater`), each until its own time.
 */
import type { Waiting } from './item.ts'
import type { Restricted } from './restricted.ts'

/** `until`: moment of the clock that does not step; null: not known. */
export interface Hold {
  reason: 'restricted' | 'later'
  until: number | null
}

export interface Holds {
  /** Undefined: it may leave. */
  of(item: Waiting): Hold | undefined
  /** When the first of those that wait for a time is let go; undefined: none does. */
  nextEnd(): number | undefined
  later(item: Waiting, until: number): void
  gone(items: readonly Waiting[]): void
}

export function createHolds(now: () => number, restricted: Pick<Restricted, 'holding'>): Holds {
  const later = new Map<string, number>()
  return {
    of(item) {
      const restriction = restricted.holding(item)
      if (restriction) return { reason: 'restricted', until: restriction.until }
      const until = later.get(item.svcId)
      return until !== undefined && until > now() ? { reason: 'later', until } : undefined
    },
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
