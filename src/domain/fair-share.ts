/**
 * Shares a limited amount between users. Each user has the same upper bound, so users with small amounts are not
 * affected.
 */

/**
 * Returns the highest bound with which all sizes fit: the sum of `min(size, level)` is at most `max`. Infinity if all
 * sizes fit without a bound.
 */
export function fairLevel(sizes: readonly number[], max: number): number {
  const ascending = [...sizes].sort((a, b) => a - b)
  let left = max
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index)
    if (size > share) return Math.floor(share)
    left -= size
  }
  return Number.POSITIVE_INFINITY
}
