/**
 * Memory for large bodies, shared by all requests: a dozen of 60 MB at once would otherwise take 1.8 GB. Held until the request is answered,
 * because until then the bytes, their text or their media are in memory.
 */
import { Busy } from './errors.ts'

const MB = 1_048_576
/**
 * Four bodies of the largest size. Two are parsed at a time (engine/media-pool.ts), so that beside the bytes there are those of two once
 * more in one piece, their text and their media: some 700 MB at worst, which a small VPS has.
 */
export const BODY_BUDGET = 256 * MB

export interface Lease {
  /** Throws when there is no room for so much now, so that nobody sends what will be refused; nothing is held. */
  check(bytes: number): void
  /** Throws when others hold too much; then nothing more is held. */
  take(bytes: number): void
  release(): void
}

export function createBodyBudget(total = BODY_BUDGET) {
  let left = total
  return {
    lease(): Lease {
      let held = 0
      const check = (bytes: number) => {
        if (bytes > left) throw new Busy('Too many large requests are being read at the moment; send this one again.')
      }
      return {
        check,
        take(bytes) {
          check(bytes)
          left -= bytes
          held += bytes
        },
        release() {
          left += held
          held = 0
        },
      }
    },
  }
}
export type BodyBudget = ReturnType<typeof createBodyBudget>
