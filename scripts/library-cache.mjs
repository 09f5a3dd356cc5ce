/**
 * A small cache that replaces `@cacheable/node-cache`. That package loads eight others, and creates forty empty maps
 * and a timer for each of the four caches of a socket. `scripts/library.mjs` puts this file into the copy of Baileys
 * beside the compiled service.
 */
export class BriefCache {
  /**
   * Map from a key to its value and to the time until which the value is valid, in ms of a monotonic clock. Undefined
   * until the first entry is stored, and again after `flushAll`.
   */
  #known
  #lifeMs
  #now

  /**
   * Creates an empty cache. `stdTTL` is the lifetime of an entry in seconds; 0 means no limit. Values are never cloned.
   * `now` returns a monotonic time in ms.
   */
  constructor({ stdTTL = 0 } = {}, now = () => performance.now()) {
    this.#now = now
    this.#lifeMs = stdTTL > 0 ? stdTTL * 1_000 : Number.POSITIVE_INFINITY
  }

  get(key) {
    const found = this.#known?.get(String(key))
    return found !== undefined && found.until > this.#now() ? found.value : undefined
  }

  set(key, value) {
    this.#known ??= new Map()
    const now = this.#now()
    // All entries have the same lifetime, so the expired entries are the first ones of the map.
    for (const [old, { until }] of this.#known) {
      if (until > now) break
      this.#known.delete(old)
    }
    this.del(key)
    this.#known.set(String(key), { value, until: now + this.#lifeMs })
    return true
  }

  del(key) {
    return this.#known?.delete(String(key)) ? 1 : 0
  }

  flushAll() {
    this.#known = undefined
  }

  close() {
    this.flushAll()
  }
}
