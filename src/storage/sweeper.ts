/**
 * Removes records that are no longer needed, periodically and on request, in one sweep at a time. After the stop no
 * sweep runs.
 */
import type { Logger } from 'pino'

export interface Sweeper {
  start(): void
  /** Starts a sweep, unless one is running. */
  soon(): void
  isUnderWay(): boolean
  /** Resolves when no sweep is running. */
  idle(): Promise<void>
  /** Stops the sweeper. After the promise resolves, nothing more is removed. */
  stop(): Promise<void>
}

export interface SweeperOptions {
  everyMs: number
  log: Pick<Logger, 'error'>
  /** Log message of a failed sweep; the next sweep retries. */
  complaint: string
}

/** Creates a sweeper. `sweep` checks `isStopped` between its commits. */
export function createSweeper(
  sweep: (isStopped: () => boolean) => Promise<void>,
  { everyMs, log, complaint }: SweeperOptions,
): Sweeper {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let sweeping: Promise<void> | undefined

  function soon() {
    if (isStopped) return
    sweeping ??= sweep(() => isStopped)
      .catch((error) => log.error({ err: error }, complaint))
      .finally(() => {
        sweeping = undefined
      })
  }

  return {
    start() {
      timer = setInterval(soon, everyMs)
      timer.unref()
      soon()
    },
    soon,
    isUnderWay: () => sweeping !== undefined,
    async idle() {
      await sweeping
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await sweeping
    },
  }
}
