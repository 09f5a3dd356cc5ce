/**
 * Items that others go past. While the network restricts the account's reach-out, those to chats that never wrote to it: each try would
 * count against it (shared/api/queue.md, Rules). And those that the network would not say anything about yet (`TryLater`).
 */
import type { Waiting } from './item.ts'

/** `until`: moment of the clock that does not step; null: nobody knows. */
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
  restrict(restriction: { until: number | null } | null): void
  /** Somebody wrote for the first time. */
  reachChanged(): void
}

export interface HoldsDeps {
  now(): number
  hasWritten(phone: string): Promise<boolean>
  /** What is held may be another. */
  onChange(): void
  onError(error: unknown): void
}

export function createHolds({ now, hasWritten, onChange, onError }: HoldsDeps): Holds {
  let restriction: { until: number | null } | null = null
  /** By destination; while it is being asked for, and where it cannot be told, nobody is written to. */
  let written = new Map<string, boolean>()
  const later = new Map<string, number>()

  function ask(phone: string) {
    const asked = written
    asked.set(phone, false)
    hasWritten(phone).then((answer) => {
      if (asked !== written || !answer) return
      asked.set(phone, true)
      onChange()
    }, onError)
  }

  function isReached({ phone }: Waiting): boolean {
    if (!written.has(phone)) ask(phone)
    return written.get(phone)!
  }

  return {
    of(item) {
      if (restriction && !isReached(item)) return { reason: 'restricted', until: restriction.until }
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
    restrict(next) {
      restriction = next
      written = new Map()
    },
    reachChanged() {
      written = new Map()
      if (restriction) onChange()
    },
  }
}
