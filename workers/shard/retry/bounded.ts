export interface Bounded<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

export function bounded<V>(max: number, maxAgeMs: number, now: () => number): Bounded<V> {
  const entries = new Map<string, { value: V; at: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      return entry && now() - entry.at < maxAgeMs ? entry.value : undefined
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, { value, at: now() })
      for (const oldest of entries.keys()) {
        if (entries.size <= max) break
        entries.delete(oldest)
      }
    },
    delete: (key) => void entries.delete(key),
  }
}
