/** A source of the time. It is passed as an argument, so that tests can set the time and need not wait. */
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
 * A clock for waiting. It begins with the epoch time of the start of the process and advances without steps, even if
 * somebody sets the system clock. Do not wait for a stored time without a limit: it may be far in the future, if the
 * system clock was ahead when it was written.
 */
export const steadyClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) }

/** True if a time is less than `ms` ago. A time in the future does not count, because a clock was wrong. */
export const isRecent = (at: number | null, now: number, ms: number): boolean => at !== null && at <= now && now - at < ms

export const iso = (at: number) => new Date(at).toISOString()
