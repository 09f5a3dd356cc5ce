import { orLate } from '../lib/deadline.ts'

/** One pending call at a later time. Passed in together with the clock, so that tests decide when it runs. */
export type Timer = (delayMs: number, run: () => void) => { cancel(): void }

/** Longest delay that setTimeout supports; a longer one would fire immediately. A caller with a longer wait checks again then. */
const LONGEST = 2 ** 31 - 1

export const systemTimer: Timer = (delayMs, run) => {
  const handle = setTimeout(run, Math.min(Math.max(delayMs, 0), LONGEST))
  return { cancel: () => clearTimeout(handle) }
}

/** Waits until a promise settles, but at most this long. */
export async function within(ended: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (ended) await orLate(ended, ms, () => {})
}
