/** Counts by key. A key whose count is 0 again takes no memory. */
export interface KeyCounts<K> {
  of(key: K): number
  add(key: K): void
  /** Must be called once for each `add` of the key. */
  remove(key: K): void
}

export function createKeyCounts<K = string>(): KeyCounts<K> {
  const counts = new Map<K, number>()
  const of = (key: K) => counts.get(key) ?? 0
  return {
    of,
    add: (key) => void counts.set(key, of(key) + 1),
    remove(key) {
      const left = of(key) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    },
  }
}
