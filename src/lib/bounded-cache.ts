/** A bounded cache that evicts the least recently used entry. */
import { LRUCache } from 'lru-cache'

/**
 * A cache with at most this many entries. The cache of the library is created with the first entry, and is bounded by size and not by its `max`,
 * because `max` allocates all space in advance. An instance has about eighteen caches of 2 KB each, and most of them are empty while the instance is
 * idle.
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

  /** Entries, newest first. */
  *[Symbol.iterator](): Iterator<[K, V]> {
    if (this.#made) yield* this.#made
  }
}

export const boundedCache = <K extends {}, V extends {}>(entries: number) => new BoundedCache<K, V>(entries)
