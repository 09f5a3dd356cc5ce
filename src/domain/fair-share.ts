/** Shares a limited amount between users: everybody gets the same upper bound, so that small users are not affected. */

/**
 * Returns the highest level at which everything fits: the sum of `min(size, level)` is at most `max`. Infinity if
 * everything fits without a limit.
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
