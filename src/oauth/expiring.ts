/** Entries that last for minutes, in memory alone: a restart drops them, and somebody who makes many pushes out the oldest. */
import type { Clock } from '../domain/clock.ts'

interface Entry<T> {
  value: T
  until: number
}

export function createExpiring<T>({ clock, ms, max }: { clock: Clock; ms: number; max: number }) {
  /** All last equally long, so the order of creation is the order of expiry. */
  const entries = new Map<string, Entry<T>>()

  function sweep() {
    const now = clock.now()
    for (const [key, { until }] of entries) {
      if (until > now && entries.size < max) return
      entries.delete(key)
    }
  }

  return {
    set(key: string, value: T) {
      sweep()
      entries.set(key, { value, until: clock.now() + ms })
    },
    get(key: string): T | undefined {
      const entry = entries.get(key)
      return entry && entry.until > clock.now() ? entry.value : undefined
    },
    delete: (key: string) => void entries.delete(key),
    drop(isOver: (value: T) => boolean) {
      for (const [key, { value }] of entries) if (isOver(value)) entries.delete(key)
    },
  }
}
