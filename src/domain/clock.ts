/** A source of the time. Code gets it as an argument, so that tests can set the time and need not wait. */
export interface Clock {
  /** Returns the time in epoch ms. */
  now(): number
}

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const systemClock: Clock = { now: () => Date.now() }

/**
 * Clock for waiting. The clock starts with the epoch time at which the thread started and then advances without steps,
 * even when the system clock is set. Its times are comparable with stored times. A stored time may be in the future,
 * because the system clock was ahead when the time was written; code that reads it must not wait for it.
 */
export const steadyClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) }

/** Whether a time is less than `ms` ago. A time in the future does not count: a clock that was ahead wrote it, so the real time is unknown. */
export const isRecent = (at: number | null, now: number, ms: number): boolean => at !== null && at <= now && now - at < ms

/** Formats a time in ISO-8601 UTC with milliseconds, the only format in which the API writes times. */
export const iso = (at: number) => new Date(at).toISOString()
