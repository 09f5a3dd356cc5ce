import type { Clock } from '../../domain/clock.ts'

/** Interval in ms at which each service tells the others what it has allowed of the limits that all count together. */
export const TELL_USES_EVERY = 250

/**
 * Returns a function that says whether the uses that were just read from one service are in time. After an interruption
 * of the link, all uses of that time arrive at once. During the interruption, the buckets of this service were full and
 * could not collect tokens for these uses. If the uses were counted, a caller within the limit would be refused.
 */
export function createUsesPace({ now }: Clock): () => boolean {
  let countedAt = Number.NEGATIVE_INFINITY
  return () => {
    const isInTime = now() - countedAt >= TELL_USES_EVERY / 2
    if (isInTime) countedAt = now()
    return isInTime
  }
}
