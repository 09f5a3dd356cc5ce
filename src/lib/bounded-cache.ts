/** A bounded cache: the entry that was used longest ago gives way. */
import { LRUCache } from 'lru-cache'

/**
 * At most this many entries. The library's cache is made with the first of them, and bounded by size and not by its `max`, which takes the room of
 * all in advance: an instance has a dozen and a half of them, 2 KB each, and while it is idle most have nothing.
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

  /** The newest first. */
  *[Symbol.iterator](): Iterator<[K, V]> {
    if (this.#made) yield* this.#made
  }
}

export const boundedCache = <K extends {}, V extends {}>(entries: number) => new BoundedCache<K, V>(entries)
