/**
 * Decides whether and when a request is repeated after a failure, without side effects:
 *
 *   429                         after `Retry-After`, or a longer pause
 *   409 `instance_starting`     after a pause
 *   5xx, no answer              after a pause, if the repetition cannot do the same thing twice: reads, changes that set a
 *                               value, removals, and sends, because they carry an `Idempotency-Key`
 *   everything else             never
 *
 * A request is not repeated if `Retry-After` is longer than `LONGEST_PAUSE_MS`.
 */
import { SvcConnectionError, SvcError } from './errors.ts'
import type { Route } from './route.ts'

/** Maximum number of attempts, including the first. */
export const DEFAULT_ATTEMPTS = 5
const FIRST_PAUSE_MS = 1_000
/**
 * Longest pause in ms. If the service asks for a longer one, the client does not wait: the caller gets the error, with
 * its `retryAfter`.
 */
const LONGEST_PAUSE_MS = 60_000

/** Whether sending a request of this kind a second time has no further effect. */
export const isRepeatable = ({ method, isSend }: Route): boolean => isSend === true || method !== 'POST'

/**
 * Returns the ms to wait before the next attempt, or undefined if the request must not be repeated. `attempt` counts
 * from 1. `random` is a number from 0 to 1, which varies the wait, so that many clients do not retry at the same time.
 */
export function pauseBefore(route: Route, error: unknown, attempt: number, random: number): number | undefined {
  if (!isWorthAnother(route, error)) return undefined
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + random / 4))
  const asked = ((error as { retryAfter?: number }).retryAfter ?? 0) * 1_000
  return asked > LONGEST_PAUSE_MS ? undefined : Math.max(asked, pause)
}

function isWorthAnother(route: Route, error: unknown): boolean {
  if (error instanceof SvcConnectionError) {
    // The service itself has not answered: there was no answer, or only one of a proxy.
    return error.status === 429 || ((error.status === undefined || error.status >= 500) && isRepeatable(route))
  }
  if (!(error instanceof SvcError)) return false
  return error.status === 429 || error.code === 'instance_starting' || (error.status >= 500 && isRepeatable(route))
}
