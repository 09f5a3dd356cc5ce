/** A rate limit: `most` in a burst, and then as many per `windowMs`, evenly distributed. */
import type { Clock } from '../../../src/domain/clock.ts'

export interface PictureBudget {
  /** Takes one from the budget; false if nothing is left. */
  take(): boolean
}

export function createPictureBudget(clock: Clock, most: number, windowMs: number): PictureBudget {
  let left = most
  let at = clock.now()
  return {
    take() {
      const now = clock.now()
      // A clock that is set back neither adds nor removes anything.
      left = Math.min(most, left + (Math.max(0, now - at) * most) / windowMs)
      at = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
