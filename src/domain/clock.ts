/** Time is passed in, so that rules about time can be asked without waiting. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const systemClock: Clock = { now: () => Date.now() }

/** For waiting: milliseconds since some moment, which never step when the system's clock is set. */
export const steadyClock: Clock = { now: () => performance.now() }

/** ISO-8601 UTC with milliseconds: the one way a time is written in the API. */
export const iso = (at: number) => new Date(at).toISOString()
