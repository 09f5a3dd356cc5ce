/**
 * Below Node 24 every AsyncLocalStorage that was ever entered makes every later promise of its thread slower, for good: each promise walks the list
 * of all of them. Each socket makes one (`addTransactionCapability`, Utils/auth-utils.js) and never disables it: 914 texts per s in a fresh thread,
 * 166 after 200 reconnects. Node 24 keeps one frame for all of them by itself.
 *
 * Here all storages of the thread share one real one, whose value is a small immutable map from storage to value. One is still paid for by every
 * promise, with an eighth of what a text allocates; so it rests while no work runs in it, which for the library's transactions is most of the time.
 * What was left running behind the work is outside of it then, as it should be: nothing would commit what it writes.
 */
import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

/** First version that needs no help. */
const FIXED_IN = 24

type Frame = ReadonlyMap<object, unknown>

const NOTHING: Frame = new Map()

/** Same surface as AsyncLocalStorage of Node 20 to 23. `rests`: values end with the promise of the work that they were given to. */
export function sharedStorageClass(shared: AsyncLocalStorage<Frame>, rests = false): typeof AsyncLocalStorage {
  /** Work that runs with a value; `Infinity` when something was given one without an end. */
  let underWay = 0

  function ended() {
    if (--underWay === 0) shared.disable()
  }

  /** The same result; for a promise a new one. */
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
    // It may have begun what goes on: nobody says for how long.
    underWay = Number.POSITIVE_INFINITY
    return result
  }

  const frame = () => shared.getStore() ?? NOTHING

  const entered = (key: object, value: unknown): Frame => new Map([...frame(), [key, value]])

  const left = (key: object): Frame => new Map([...frame()].filter(([other]) => other !== key))

  class SharedAsyncLocalStorage<T> {
    static bind = AsyncLocalStorage.bind
    static snapshot = AsyncLocalStorage.snapshot

    /** Changed by `disable`: values under the old key are out of reach in every context at once. */
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

/** Idempotent. Everything that imports `AsyncLocalStorage` after this gets the shared one. */
export function shareAsyncLocalStorage(rests = true): void {
  if (isShared || Number(process.versions.node.split('.')[0]) >= FIXED_IN) return
  isShared = true
  asyncHooks.AsyncLocalStorage = sharedStorageClass(new AsyncLocalStorage<Frame>(), rests)
  syncBuiltinESMExports()
}
