import { orLate } from '../lib/deadline.ts'

/** Schedules a call. It is passed as an argument, so that tests decide when the call runs. */
export type Timer = (delayMs: number, run: () => void) => { cancel(): void }

/**
 * Longest delay of a timer in ms: with a longer one, `setTimeout` would fire immediately. A timer with a longer delay
 * fires early, so its caller must check the time again.
 */
const LONGEST = 2 ** 31 - 1

export const systemTimer: Timer = (delayMs, run) => {
  const handle = setTimeout(run, Math.min(Math.max(delayMs, 0), LONGEST))
  return { cancel: () => clearTimeout(handle) }
}

export async function within(ended: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (ended) await orLate(ended, ms, () => {})
}
