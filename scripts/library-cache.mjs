/**
 * The library's caches: a socket makes four, which hold next to nothing. In place of `@cacheable/node-cache`, whose every cache is forty empty maps and
 * a timer, and which loads eight packages. `scripts/library.mjs` puts it into the library that lies beside the compiled service.
 */
export class BriefCache {
  /** By key: the value, and until when it is known, in ms of the monotonic clock; undefined before there is one. */
  #known
  #lifeMs
  #now

  /** `stdTTL`: life of an entry in seconds; 0: for ever. Values are never cloned. `now` in ms; does not step. */
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
    // All live equally long, so those that are over are the first.
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
