/**
 * A rate limit: `most` actions are allowed at once. After that, the budget grows evenly by `most` actions per
 * `windowMs`.
 */
import type { Clock } from '../../../src/domain/clock.ts'

export interface PictureBudget {
  take(): boolean
}

export function createPictureBudget(clock: Clock, most: number, windowMs: number): PictureBudget {
  let left = most
  let at = clock.now()
  return {
    take() {
      const now = clock.now()
      left = Math.min(most, left + (Math.max(0, now - at) * most) / windowMs)
      at = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
