/**
 * Shares a limited amount between users: returns the highest whole bound with which all sizes fit, so that the sum of
 * `min(size, bound)` is at most `max`. Returns Infinity if all sizes fit without a bound.
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
