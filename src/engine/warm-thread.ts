/**
 * A shard thread that loads its code before the service may open the store. A standby keeps such threads, because loading
 * the code takes most of the time of a takeover.
 */
import type { Log } from '../domain/log.ts'
import { startThreadRun, type ThreadRun, type ThreadRunOptions } from './thread-run.ts'

type Handlers = Pick<ThreadRunOptions, 'onEvent' | 'onEnd'>

export interface WarmThread {
  /** Returns undefined if the thread has ended. From then on the caller owns the thread, and `end` does nothing. */
  take(handlers: Handlers): ThreadRun | undefined
  end(): Promise<void>
}

export interface WarmThreadOptions extends Omit<ThreadRunOptions, keyof Handlers | 'generation'> {
  log: Log
}

export function startWarmThread({ log, ...options }: WarmThreadOptions): WarmThread {
  const { shard } = options.data
  let handlers: Handlers | undefined
  let isWanted = true
  const run = startThreadRun({
    ...options,
    generation: 1,
    onEvent: (event) => handlers?.onEvent(event),
    onEnd(cause) {
      if (handlers !== undefined) handlers.onEnd(cause)
      else if (isWanted)
        log.error({ err: cause, shard }, 'a shard thread of the standby has ended; a takeover starts another one')
    },
  })
  return {
    take(next) {
      if (run.isOver()) return undefined
      handlers = next
      return run
    },
    async end() {
      isWanted = false
      if (handlers === undefined) await run.end()
    },
  }
}
