/**
 * Replaces AsyncLocalStorage of Node 20 to 23 with a class whose instances share one real storage. Below Node 24, every
 * AsyncLocalStorage that was ever entered permanently slows down all later promises of its thread. Each socket of the
 * library creates one: a new thread sends 914 texts per s, and 166 after 200 reconnects.
 * The value of the shared storage is an immutable map from storage to value. Even one storage makes every promise more
 * expensive, so it is disabled while no work runs in it. Background work that continues after a transaction then no
 * longer sees its value. This is right, because nothing would commit the writes of that work.
 */
import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

/** First Node version in which AsyncLocalStorage does not slow down later promises. */
const FIXED_IN = 24

type Frame = ReadonlyMap<object, unknown>

const NOTHING: Frame = new Map()

/**
 * Creates a class with the interface of AsyncLocalStorage, for Node 20 to 23. With `rests`, a value is removed when the promise of its work settles,
 * so that the shared storage can be disabled.
 */
export function sharedStorageClass(shared: AsyncLocalStorage<Frame>, rests = false): typeof AsyncLocalStorage {
  /**
   * Number of running functions and promises that use a stored value. It is `Infinity` if this can no longer be
   * known.
   */
  let underWay = 0

  function ended() {
    if (--underWay === 0) shared.disable()
  }

  /**
   * Counts the work of `run` until it has ended. Returns the result of `run`; if this is a promise, a new promise with
   * the same outcome.
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
    // The work may have started something that continues for an unknown time.
    underWay = Number.POSITIVE_INFINITY
    return result
  }

  const frame = () => shared.getStore() ?? NOTHING

  const entered = (key: object, value: unknown): Frame => new Map([...frame(), [key, value]])

  const left = (key: object): Frame => new Map([...frame()].filter(([other]) => other !== key))

  class SharedAsyncLocalStorage<T> {
    static bind = AsyncLocalStorage.bind
    static snapshot = AsyncLocalStorage.snapshot

    /** `disable` changes the key, so that values under the old key become unreachable in every context. */
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

/** Replaces the class for every module that imports `AsyncLocalStorage` afterwards. A second call does nothing. */
export function shareAsyncLocalStorage(rests = true): void {
  if (isShared || Number(process.versions.node.split('.')[0]) >= FIXED_IN) return
  isShared = true
  asyncHooks.AsyncLocalStorage = sharedStorageClass(new AsyncLocalStorage<Frame>(), rests)
  syncBuiltinESMExports()
}
