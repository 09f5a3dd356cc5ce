/** Reproducible random numbers. The seed is printed, and SVC_TEST_SEED sets it. */

export interface Seeded {
  seed: number
  /** Returns a number that is at least 0 and less than 1. */
  next(): number
  /** Returns a whole number that is at least 0 and less than `limit`. */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
  chance(share: number): boolean
  /**
   * Creates a separate generator for code that draws numbers at unpredictable moments, so that the numbers of this
   * generator stay the same in each run.
   */
  apart(): Seeded
}

export function createSeeded(seed = Number(process.env.SVC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))): Seeded {
  let state = seed >>> 0
  /** Implements the algorithm mulberry32. Its state has only 32 bits, which is enough to choose moments. */
  function next() {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    seed,
    next,
    below,
    pick: (items) => items[below(items.length)]!,
    shuffled(items) {
      const left = [...items]
      return items.map(() => left.splice(below(left.length), 1)[0]!)
    },
    chance: (share) => next() < share,
    apart: () => createSeeded(Math.floor(next() * 2 ** 32)),
  }
}
