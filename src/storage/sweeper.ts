/** Removes records that are not needed any more, now and then and on request: one sweep at a time, and none after the stop. */
import type { Logger } from 'pino'

export interface Sweeper {
  start(): void
  /** Unless one is under way. */
  soon(): void
  isUnderWay(): boolean
  /** Resolves when none is under way. */
  idle(): Promise<void>
  /** When it resolves nothing is removed any more. */
  stop(): Promise<void>
}

export interface SweeperOptions {
  everyMs: number
  log: Pick<Logger, 'error'>
  /** The log message of a failed sweep; the next one tries again. */
  complaint: string
}

/** `sweep` looks at `isStopped` between its commits. */
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
