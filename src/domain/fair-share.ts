/** Shares a limited amount between users. The same upper bound applies to each user, so users with small amounts are not affected. */

/**
 * Returns the highest upper bound with which all sizes fit: the sum of `min(size, level)` is at most `max`. Infinity if everything fits without a
 * bound.
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
