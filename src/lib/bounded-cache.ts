import { LRUCache } from 'lru-cache'

/**
 * A cache with a limited number of entries. The LRU cache inside is created with the first entry, because an idle
 * instance has many empty caches. It is bounded by size, because the option `max` allocates all space in advance.
 */
export class BoundedCache<K extends {}, V extends {}> {
  readonly #most: number
  #made: LRUCache<K, V> | undefined

  constructor(entries: number) {
    this.#most = entries
  }

  get(key: K): V | undefined {
    return this.#made?.get(key)
  }

  has(key: K): boolean {
    return this.#made?.has(key) ?? false
  }

  set(key: K, value: V): void {
    this.#made ??= new LRUCache({ maxSize: this.#most, sizeCalculation: () => 1 })
    this.#made.set(key, value)
  }

  delete(key: K): void {
    this.#made?.delete(key)
  }

  clear(): void {
    this.#made = undefined
  }

  /** Yields the entries, the most recently used one first. */
  *[Symbol.iterator](): Iterator<[K, V]> {
    if (this.#made) yield* this.#made
  }
}

export const boundedCache = <K extends {}, V extends {}>(entries: number) => new BoundedCache<K, V>(entries)
