/** Holds items whose attempt was postponed, for example by `TryLater`. Each item has a time of its own. */
import type { Clock } from '../../../../src/domain/clock.ts'
import type { Waiting } from '../item.ts'
import type { HoldPolicy } from './holds.ts'

export interface Later extends HoldPolicy {
  until(item: Waiting, at: number): void
  gone(items: readonly Waiting[]): void
}

export function createLater(steady: Clock): Later {
  const ends = new Map<string, number>()
  return {
    clock: steady,
    holding({ svcId }) {
      const until = ends.get(svcId)
      return until !== undefined && until > steady.now() ? { reason: 'pacing', until } : undefined
    },
    until: ({ svcId }, at) => void ends.set(svcId, at),
    gone(items) {
      for (const { svcId } of items) ends.delete(svcId)
    },
  }
}
