/**
 * Holds entries for some minutes, only in memory. If there are too many, the oldest entry of the owner with the most
 * entries is evicted, so an owner cannot evict entries of others.
 */
import type { Clock } from '../domain/clock.ts'

interface Entry<T> {
  value: T
  until: number
}

export interface ExpiringOptions<T> {
  clock: Clock
  /** Lifetime of an entry in ms. */
  ms: number
  max: number
  ownerOf?: (value: T) => string
}

export function createExpiring<T>({ clock, ms, max, ownerOf = () => '' }: ExpiringOptions<T>) {
  /** The entries are in the order of creation, which is also the order in which they expire. */
  const entries = new Map<string, Entry<T>>()

  function dropEnded() {
    const now = clock.now()
    for (const [key, { until }] of entries) {
      if (until > now) return
      entries.delete(key)
    }
  }

  function oldestOfMost(): string | undefined {
    const byOwner = new Map<string, { count: number; oldest: string }>()
    for (const [key, { value }] of entries) {
      const owner = ownerOf(value)
      const found = byOwner.get(owner)
      if (found) found.count++
      else byOwner.set(owner, { count: 1, oldest: key })
    }
    let most: { count: number; oldest: string } | undefined
    for (const each of byOwner.values()) if (each.count > (most?.count ?? 0)) most = each
    return most?.oldest
  }

  return {
    /** `endsWith` is the key of another entry. The new entry expires no later than the other one. */
    set(key: string, value: T, endsWith?: string) {
      dropEnded()
      const until = (endsWith === undefined ? undefined : entries.get(endsWith)?.until) ?? clock.now() + ms
      if (entries.size >= max) entries.delete(oldestOfMost() ?? '')
      entries.set(key, { value, until })
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
