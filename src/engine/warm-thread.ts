/**
 * A shard thread that loads its code before the service may open the store. A standby keeps such threads, because loading
 * the code takes most of the time of a takeover.
 */
import { startThreadRun, type ThreadRun, type ThreadRunOptions } from './thread-run.ts'

type Handlers = Pick<ThreadRunOptions, 'onEvent' | 'onEnd'>

export interface WarmThread {
  /** Returns undefined if the thread has ended. From then on the caller owns the thread, and `end` does nothing. */
  take(handlers: Handlers): ThreadRun | undefined
  end(): Promise<void>
}

export function startWarmThread(options: Omit<ThreadRunOptions, keyof Handlers | 'generation'>): WarmThread {
  let handlers: Handlers | undefined
  const run = startThreadRun({
    ...options,
    generation: 1,
    onEvent: (event) => handlers?.onEvent(event),
    onEnd: (cause) => handlers?.onEnd(cause),
  })
  return {
    take(next) {
      if (run.isOver()) return undefined
      handlers = next
      return run
    },
    async end() {
      if (handlers === undefined) await run.end()
    },
  }
}
