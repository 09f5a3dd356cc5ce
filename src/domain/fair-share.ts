/** How much each may keep when there is not enough for all: the same bound for everybody, so that the small are not touched. */

/**
 * The highest level at which all together fit: the sum of `min(size, level)` is at most `max`. Infinity where everything fits as it is.
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
