import { setTimeout as pause } from 'node:timers/promises'
import { spread } from './balance.ts'
import type { HomeMap } from './home-map.ts'
import type { Moves } from './moves.ts'

export interface GiveAwayOptions {
  map: Pick<HomeMap, 'countsOf'>
  moves: Pick<Moves, 'give'>
  /** Ids of the members that take instances. */
  others(): readonly string[]
  /** Milliseconds between two moves. */
  every: number
  isLate(): boolean
}

/**
 * Begins to move the instances to the other members, one after the other. When one of those members leaves, too, the rest is
 * spread over those that stay. Ends early if none stays, because a stop of the whole cluster moves nothing.
 */
export async function giveAway(instances: readonly string[], options: GiveAwayOptions): Promise<void> {
  const { map, moves, others, every, isLate } = options
  const left = [...instances]
  while (left.length > 0 && !isLate()) {
    const takers = others()
    if (takers.length === 0) return
    const isUnchanged = () => others().join() === takers.join()
    for (const [instance, to] of spread(left, map.countsOf(takers))) {
      if (isLate() || !isUnchanged()) break
      void moves.give(instance, to, 'drain')
      left.shift()
      await pause(every)
    }
  }
}
