import type { Clock } from '../../domain/clock.ts'

/** Interval in ms at which each service tells the others what it has allowed of the limits that all count together. */
export const TELL_USES_EVERY = 250

/**
 * Returns a function that says whether the uses that were just read from one service are in time. Uses that arrive
 * late, after an interruption of the link, must not be counted: a caller within the limit could be refused.
 */
export function createUsesPace({ now }: Clock): () => boolean {
  let countedAt = Number.NEGATIVE_INFINITY
  return () => {
    const isInTime = now() - countedAt >= TELL_USES_EVERY / 2
    if (isInTime) countedAt = now()
    return isInTime
  }
}
