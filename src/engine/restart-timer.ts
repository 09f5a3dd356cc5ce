import { MINUTE, SECOND } from '../domain/clock.ts'

const FIRST_DELAY = 250
const LAST_DELAY = 30 * SECOND
/**
 * Milliseconds after which a running thread counts as stable. The delay after its next crash is then the shortest one
 * again.
 */
const STABLE = MINUTE

/**
 * Delay in ms before a thread or an instance is started again: 250, doubled with every early end or failed start, at
 * most 30 s.
 */
export const respawnDelay = (earlyEnds: number) => Math.min(LAST_DELAY, FIRST_DELAY * 2 ** Math.min(earlyEnds, 16))

export interface RestartTimer {
  /** Calls `start` after a delay, and returns the delay in ms. `upMs` is undefined if the ended thread was never up. */
  schedule(upMs: number | undefined): number
  cancel(): void
}

/** Starts a thread again. The delay doubles with each successive thread that ended early. */
export function createRestartTimer(start: () => void): RestartTimer {
  let earlyEnds = 0
  let timer: NodeJS.Timeout | undefined
  return {
    schedule(upMs) {
      if (upMs !== undefined && upMs >= STABLE) earlyEnds = 0
      const delayMs = respawnDelay(earlyEnds++)
      timer = setTimeout(start, delayMs)
      return delayMs
    },
    cancel: () => clearTimeout(timer),
  }
}
