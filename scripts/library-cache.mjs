/**
 * The library's caches: a socket makes four, which hold very little. They replace `@cacheable/node-cache`, where every cache has forty empty maps and
 * a timer, and which loads eight packages. `scripts/library.mjs` puts this file into the copy of the library beside the compiled service.
 */
export class BriefCache {
  /** By key: the value, and the time until which it is valid, in ms of the monotonic clock. Undefined before there is an entry. */
  #known
  #lifeMs
  #now

  /** `stdTTL`: life of an entry in seconds; 0 means forever. Values are never cloned. `now`: a monotonic time in ms. */
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
    // All entries live equally long, so the expired ones are the first.
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
