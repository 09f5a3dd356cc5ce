/**
 * Ends the parts of the service in the reverse order of their starts. Each part registers a function when it has
 * started, so if a start fails, exactly the parts that had started are ended.
 */
import type { Clock } from '../domain/clock.ts'

export interface Shutdown {
  readonly hasBegun: boolean
  /** `end` gets the time in ms that is left for this part and for all parts that end after it. */
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
