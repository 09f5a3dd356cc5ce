/** Time is passed in, so that rules about time can be tested without waiting. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const systemClock: Clock = { now: () => Date.now() }

/**
 * For waiting: epoch milliseconds as of the start of the thread, and from there on by a clock that does not step when the system's is set.
 * So they can be held against times that are stored, of which one in the future counts as now: the system's clock was ahead then.
 */
export const steadyClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) }

/** Whether something happened less than `ms` ago. A time in the future was written by a clock that was ahead, and is long past or unknown. */
export const isRecent = (at: number | null, now: number, ms: number): boolean => at !== null && at <= now && now - at < ms

/** ISO-8601 UTC with milliseconds: the one way a time is written in the API. */
export const iso = (at: number) => new Date(at).toISOString()
