/**
 * Removes expired rows every hour. If the removal of one kind of rows fails, the other kinds are still removed, and the
 * failed one is repeated the next time.
 */
import type { Logger } from 'pino'
import { HOUR } from '../domain/clock.ts'

const EVERY = HOUR

export type Sweep = (isStopped: () => boolean) => Promise<void>

export interface Retention {
  /**
   * Adds a kind of rows, and returns a function that requests the removal of its expired rows soon. `complaint` is the
   * log message for a failure.
   */
  covers(sweep: Sweep, complaint: string): () => void
  start(): void
  idle(): Promise<void>
  /** Stops the removal. No row is removed after the promise has resolved. */
  stop(): Promise<void>
}

export function createRetention(log: Pick<Logger, 'error'>): Retention {
  const kinds: { sweep: Sweep; complaint: string }[] = []
  const due = new Set<(typeof kinds)[number]>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let sweeping: Promise<void> | undefined

  async function sweepDue() {
    // The loop also reaches kinds that are added while it runs.
    for (const kind of due) {
      due.delete(kind)
      if (!isStopped) await kind.sweep(() => isStopped).catch((error) => log.error({ err: error }, kind.complaint))
    }
    sweeping = undefined
  }

  function soon(...some: typeof kinds) {
    if (isStopped) return
    for (const kind of some) due.add(kind)
    if (due.size > 0) sweeping ??= sweepDue()
  }

  return {
    covers(sweep, complaint) {
      const kind = { sweep, complaint }
      kinds.push(kind)
      return () => soon(kind)
    },
    start() {
      timer = setInterval(() => soon(...kinds), EVERY)
      timer.unref()
      soon(...kinds)
    },
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
