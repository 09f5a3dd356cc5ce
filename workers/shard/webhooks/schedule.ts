/** Defines the times of the attempts of a failed event. Pure. */
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { RETRY_DELAYS } from '../../../src/domain/webhook-log.ts'

/** While a receiver is down, the first event of its queue is attempted at least this often, in addition to its schedule. */
export const PROBE_EVERY = MINUTE

/** Default for the most events of an instance that may wait. */
export const MAX_WAITING = 100_000

/** Time for which the body of a failed event is kept, encrypted, for a manual resend. */
export const KEEP_FAILED_BODY = 72 * HOUR

export const KEEP_LOG_ENTRY = 7 * DAY
export const MAX_LOG_ENTRIES = 100_000

/** Returns the wait after this number of failed attempts; undefined if there is no further attempt. */
export const retryDelay = (failedTries: number): number | undefined => RETRY_DELAYS[failedTries - 1]
