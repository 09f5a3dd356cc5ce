/** Reproducible random numbers: the seed is printed, and read from SVC_TEST_SEED if that is set. */

export interface Seeded {
  seed: number
  /** A number from 0 up to 1. */
  next(): number
  /** A whole number below `limit`. */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
  /** True with this probability. */
  chance(share: number): boolean
  /** Creates a separate generator for draws at unpredictable moments: the draws of the others stay the same. */
  apart(): Seeded
}

export function createSeeded(seed = Number(process.env.SVC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))): Seeded {
  let state = seed >>> 0
  /** mulberry32: 32 bits of state, good enough to choose moments. */
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
