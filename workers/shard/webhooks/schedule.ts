/** When a failed event is tried again. Pure. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'

/** Waits between the six tries: together 7 h 11 min 10 s after the first. */
export const RETRY_DELAYS = [10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR] as const

export const MAX_TRIES = RETRY_DELAYS.length + 1

/** While a receiver is away the head of its queue is tried at least so often, beside its schedule. */
export const PROBE_EVERY = MINUTE

/** Events of an instance that may wait, unless the operator says otherwise. */
export const MAX_WAITING = 100_000

/** How long the body of an event that failed for good is kept, encrypted, for a manual resend. */
export const KEEP_FAILED_BODY = 72 * HOUR

export const KEEP_LOG_ENTRY = 7 * DAY
export const MAX_LOG_ENTRIES = 100_000

/** Wait after the given number of failed tries; undefined when that was the last. */
export const retryDelay = (failedTries: number): number | undefined => RETRY_DELAYS[failedTries - 1]
