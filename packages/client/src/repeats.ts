/**
 * Decides whether a request is repeated after a failure, and when: the handling rules of the service. Pure.
 *
 *   429                         after `Retry-After`
 *   409 `instance_starting`     after a pause
 *   5xx, no answer              after a pause, if the repetition cannot do the same thing twice: reads, changes that set a
 *                               value, removals, and sends, because they carry an `Idempotency-Key`
 *   everything else             never
 */
import { SvcConnectionError, SvcError } from './errors.ts'
import type { Route } from './route.ts'

/** Number of attempts, including the first. */
export const DEFAULT_ATTEMPTS = 5
const FIRST_PAUSE_MS = 1_000

/** Whether a second request of this kind has no further effect. */
export const isRepeatable = ({ method, isSend }: Route): boolean => isSend === true || method !== 'POST'

/**
 * Returns the milliseconds to wait before the next attempt; undefined if there must be none. `attempt` counts from 1,
 * and `random` is a number from 0 to 1: many clients that failed together do not come back together.
 */
export function pauseBefore(route: Route, error: unknown, attempt: number, random: number): number | undefined {
  const pause = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + random / 4)
  if (error instanceof SvcConnectionError) {
    if (error.status === 429) return asked(error) ?? pause
    return isRepeatable(route) && isTemporary(error.status) ? (asked(error) ?? pause) : undefined
  }
  if (!(error instanceof SvcError)) return undefined
  if (error.status === 429) return asked(error) ?? pause
  if (error.code === 'instance_starting') return asked(error) ?? pause
  return error.status >= 500 && isRepeatable(route) ? (asked(error) ?? pause) : undefined
}

/** No answer, or the answer of a proxy that could not reach the service. */
const isTemporary = (status: number | undefined) => status === undefined || status >= 500

const asked = ({ retryAfter }: { retryAfter: number | undefined }) => (retryAfter === undefined ? undefined : retryAfter * 1_000)
