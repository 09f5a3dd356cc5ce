/**
 * Ends the parts of the service: each part registers its end right after it has started, and the ends run in reverse
 * order. So a start that fails also ends exactly the parts that were up.
 */
import type { Clock } from '../domain/clock.ts'

export interface Shutdown {
  /** True from the first call of `run` on. */
  readonly hasBegun: boolean
  /** Registers the end of a part. `end` gets the time in ms that is left for it and for all further ends. */
  add(end: (leftMs: number) => Promise<void> | void): void
  run(deadlineMs: number): Promise<void>
}

export function createShutdown(clock: Clock): Shutdown {
  const ends: ((leftMs: number) => Promise<void> | void)[] = []
  let hasBegun = false
  return {
    get hasBegun() {
      return hasBegun
    },
    add: (end) => void ends.push(end),
    async run(deadlineMs) {
      hasBegun = true
      const endsAt = clock.now() + deadlineMs
      for (const end of ends.splice(0).reverse()) await end(Math.max(0, endsAt - clock.now()))
    },
  }
}
