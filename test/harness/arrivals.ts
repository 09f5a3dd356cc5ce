export interface Arrivals<T> {
  /** All items, oldest first. */
  readonly items: readonly T[]
  add(...items: T[]): void
  /**
   * Resolves with the first item that fits, which may arrive before or after this call. Rejects if none comes within
   * `ms`.
   */
  waitFor(what: string, fits: (item: T) => boolean, ms?: number): Promise<T>
}

/**
 * Creates a list of items that arrive over time, so that tests can wait for an item. `show` describes the items in the
 * error of a wait that timed out.
 */
export function createArrivals<T>(show: (items: readonly T[]) => string = JSON.stringify): Arrivals<T> {
  const items: T[] = []
  const looks = new Set<() => void>()
  return {
    items,
    add(...more) {
      items.push(...more)
      // The waits check the new items in a later microtask, so that the caller's own code has handled these items
      // first.
      queueMicrotask(() => {
        for (const look of [...looks]) look()
      })
    },
    waitFor: (what, fits, ms = 20_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          looks.delete(look)
          reject(new Error(`not within ${ms} ms: ${what}; there were: ${show(items).slice(0, 2_000)}`))
        }, ms)
        function look() {
          const found = items.find(fits)
          if (!found) return
          clearTimeout(timer)
          looks.delete(look)
          resolve(found)
        }
        looks.add(look)
        look()
      }),
  }
}
