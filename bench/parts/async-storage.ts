/**
 * Replaces AsyncLocalStorage of Node 20 to 23 with a class whose instances share one real storage. Below Node 24, every
 * AsyncLocalStorage that was ever entered slows down all later promises of its thread. Each socket of the library
 * creates one, so a thread sends 914 texts per s when it is new, and 166 after 200 reconnects. The value of the shared
 * storage is an immutable map from each instance of the class to its value. Even a single storage makes every promise
 * more expensive, so with `rests` the shared one is disabled while no work uses it. Work that continues after a
 * transaction then finds no value, which is right: nothing would commit its writes.
 */
import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

/** First Node version in which AsyncLocalStorage does not slow down later promises. */
const FIXED_IN = 24

type Frame = ReadonlyMap<object, unknown>

const NOTHING: Frame = new Map()

/**
 * Creates a class with the interface of AsyncLocalStorage, for Node 20 to 23. With `rests`, the shared storage is
 * disabled whenever all work that was started by `run` has settled.
 */
export function sharedStorageClass(shared: AsyncLocalStorage<Frame>, rests = false): typeof AsyncLocalStorage {
  /** With `rests`: number of calls of `counted` whose work has not ended. `Infinity` if it is no longer known. */
  let underWay = 0

  function ended() {
    if (--underWay === 0) shared.disable()
  }

  /**
   * Calls `run` and returns its result. With `rests`, the work is counted until it has ended; a promise is then
   * replaced by a new one with the same outcome.
   */
  function counted<R>(run: () => R): R {
    if (!rests) return run()
    underWay++
    let result: R
    try {
      result = run()
    } catch (error) {
      ended()
      throw error
    }
    if (result instanceof Promise) return result.finally(ended) as R
    // A function that is not asynchronous may have started work that continues for an unknown time, so the storage is
    // never disabled again.
    underWay = Number.POSITIVE_INFINITY
    return result
  }

  const frame = () => shared.getStore() ?? NOTHING

  const entered = (key: object, value: unknown): Frame => new Map([...frame(), [key, value]])

  const left = (key: object): Frame => new Map([...frame()].filter(([other]) => other !== key))

  class SharedAsyncLocalStorage<T> {
    static bind = AsyncLocalStorage.bind
    static snapshot = AsyncLocalStorage.snapshot

    /**
     * Key of this instance in the shared map. `disable` changes it, so that no context finds the values under the old
     * key.
     */
    #key = {}

    getStore(): T | undefined {
      return shared.getStore()?.get(this.#key) as T | undefined
    }

    run<R, A extends unknown[]>(store: T, work: (...args: A) => R, ...args: A): R {
      if (Object.is(store, this.getStore())) return Reflect.apply(work, null, args)
      return counted(() => shared.run(entered(this.#key, store), work, ...args))
    }

    exit<R, A extends unknown[]>(work: (...args: A) => R, ...args: A): R {
      if (this.getStore() === undefined) return Reflect.apply(work, null, args)
      return shared.run(left(this.#key), work, ...args)
    }

    enterWith(store: T): void {
      underWay = Number.POSITIVE_INFINITY
      shared.enterWith(entered(this.#key, store))
    }

    disable(): void {
      this.#key = {}
    }
  }
  return SharedAsyncLocalStorage as unknown as typeof AsyncLocalStorage
}

let isShared = false

/**
 * Replaces the class for every module that imports `AsyncLocalStorage` after this call. Does nothing on Node 24 and
 * newer, or if it was called before.
 */
export function shareAsyncLocalStorage(rests = true): void {
  if (isShared || Number(process.versions.node.split('.')[0]) >= FIXED_IN) return
  isShared = true
  asyncHooks.AsyncLocalStorage = sharedStorageClass(new AsyncLocalStorage<Frame>(), rests)
  syncBuiltinESMExports()
}
