import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { RETRY_DELAYS } from '../../../src/domain/webhook-log.ts'

/** Maximum time in ms between two attempts of the first event of a receiver that is down. */
export const PROBE_EVERY = MINUTE

export const MAX_WAITING = 100_000

/** Time in ms for which the body of a failed event is kept, encrypted, for a manual resend. */
export const KEEP_FAILED_BODY = 72 * HOUR

export const KEEP_LOG_ENTRY = 7 * DAY
export const MAX_LOG_ENTRIES = 100_000

/** Returns the delay in ms after this many failed attempts. Undefined if no further attempt follows. */
export const retryDelay = (failedTries: number): number | undefined => RETRY_DELAYS[failedTries - 1]
