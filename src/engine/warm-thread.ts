/**
 * A shard thread that loads its code before the service may open the store. A standby keeps such threads, because
 * loading the code takes most of the time of a takeover.
 */
import type { Log } from '../domain/log.ts'
import { deferred } from '../lib/deferred.ts'
import { startThreadRun, type ThreadRun, type ThreadRunOptions } from './thread-run.ts'

type Handlers = Pick<ThreadRunOptions, 'onEvent' | 'onEnd'>

export interface WarmThread {
  /**
   * Resolves when the thread has loaded its code, or is no longer wanted. Rejects with the cause if the thread ended
   * before.
   */
  readonly loaded: Promise<void>
  /**
   * Passes the thread to the caller; `end` then does nothing. Undefined if the thread has ended or was taken before.
   */
  take(handlers: Handlers): ThreadRun | undefined
  end(): Promise<void>
}

export interface WarmThreadOptions extends Omit<ThreadRunOptions, keyof Handlers | 'generation'> {
  log: Log
}

/**
 * Time limit for loading: the longest delay that a timer can have, because loading may take minutes on a busy machine.
 */
const NO_LIMIT = 2 ** 31 - 1

export function startWarmThread({ log, ...options }: WarmThreadOptions): WarmThread {
  const { shard } = options.data
  const loading = deferred()
  loading.promise.catch(() => {})
  let handlers: Handlers | undefined
  let isWanted = true
  const run = startThreadRun({
    ...options,
    generation: 1,
    onEvent: (event) => handlers?.onEvent(event),
    onEnd(cause) {
      loading.reject(cause)
      if (handlers !== undefined) handlers.onEnd(cause)
      else if (isWanted)
        log.error({ err: cause, shard }, 'a shard thread of the standby has ended; the takeover will start another one')
    },
  })
  run.run({ type: 'loaded' }, NO_LIMIT).then(
    () => loading.resolve(),
    (error: unknown) => {
      // If the thread has ended, `onEnd` gets the cause.
      if (!run.isOver()) loading.reject(error)
    },
  )
  return {
    loaded: loading.promise,
    take(next) {
      if (run.isOver() || handlers !== undefined) return undefined
      handlers = next
      return run
    },
    async end() {
      isWanted = false
      loading.resolve()
      if (handlers === undefined) await run.end()
    },
  }
}
