/** A bounded cache: the entry that was used longest ago gives way. */
import { LRUCache } from 'lru-cache'

export type BoundedCache<K extends {}, V extends {}> = LRUCache<K, V>

/**
 * At most this many entries. Bounded by size and not by the library's `max`, which takes the room of all entries in advance: an instance
 * has a dozen caches, most of them nearly empty.
 */
export const boundedCache = <K extends {}, V extends {}>(entries: number): BoundedCache<K, V> =>
  new LRUCache({ maxSize: entries, sizeCalculation: () => 1 })
