import { orLate } from '../lib/deadline.ts'

/** One pending call at a later moment. Passed in beside the clock, so that tests decide when it comes. */
export type Timer = (delayMs: number, run: () => void) => { cancel(): void }

/** Longest delay setTimeout takes; a longer one would fire at once. A caller that waits longer checks again then. */
const LONGEST = 2 ** 31 - 1

export const systemTimer: Timer = (delayMs, run) => {
  const handle = setTimeout(run, Math.min(Math.max(delayMs, 0), LONGEST))
  return { cancel: () => clearTimeout(handle) }
}

/** Waits for something to end, but no longer than this. */
export async function within(ended: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (ended) await orLate(ended, ms, () => {})
}
