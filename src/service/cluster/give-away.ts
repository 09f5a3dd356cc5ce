import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../../domain/clock.ts'
import { spread } from './balance.ts'
import type { HomeMap } from './home-map.ts'
import type { Moves } from './moves.ts'

export interface GiveAwayOptions {
  map: Pick<HomeMap, 'countsOf' | 'homeOf'>
  moves: Pick<Moves, 'give' | 'has'>
  /** Ids of the members that take instances. */
  others(): readonly string[]
  /** Whether the session of the instance is open, here or at another member. */
  isConnected(instance: string): boolean
  /** Milliseconds between two moves. */
  every: number
  /** Milliseconds that are left for all moves. */
  leftMs(): number
}

/**
 * Maximum number of instances that were given to one member and are not connected there yet, unless little time is
 * left. The next instance stays connected here, instead of waiting there without a session.
 */
const ARRIVING = 8
/**
 * Milliseconds after which an instance no longer counts as arriving, although it is not connected at the other member.
 */
const ARRIVES_WITHIN = 5 * SECOND
/**
 * Milliseconds after which a member gets no further instances while one that was given to it is still unclaimed. A
 * member that can probably start nothing waits with its claims while others can claim.
 */
const CLAIMS_WITHIN = SECOND
/** Share of the time left that the moves may take. The last instances need time to stop. */
const HURRY_SHARE = 0.5

/**
 * Begins to move the instances to the other members, one after the other. If one of those members leaves, or does not
 * claim what it was given, the rest is spread over the others. Ends early if no member stays.
 */
export async function giveAway(instances: readonly string[], options: GiveAwayOptions): Promise<void> {
  const { map, moves, every, leftMs } = options
  const left = [...instances]
  const arriving = createArriving(options)
  const unclaimed = createUnclaimed(options)
  const isLate = () => leftMs() <= 0
  const mustHurry = () => left.length * every >= leftMs() * HURRY_SHARE
  const others = () => {
    const all = options.others()
    const claiming = all.filter((each) => !unclaimed.isLeftBy(each))
    return claiming.length > 0 ? claiming : all
  }
  while (left.length > 0 && !isLate()) {
    const takers = others()
    if (takers.length === 0) return
    const isUnchanged = () => others().join() === takers.join()
    for (const [instance, to] of spread(left, map.countsOf(takers))) {
      while (arriving.isFull(to) && !mustHurry() && isUnchanged()) await pause(every)
      if (isLate() || !isUnchanged()) break
      arriving.add(instance, to)
      unclaimed.add(instance, to)
      void moves.give(instance, to, 'drain')
      left.shift()
      await pause(every)
    }
  }
}

/** The instances that were given away and are not connected at the other member yet. */
function createArriving({ moves, isConnected, leftMs }: Pick<GiveAwayOptions, 'moves' | 'isConnected' | 'leftMs'>) {
  const given = new Map<string, { to: string; leftAtGift: number }>()
  const isArriving = (instance: string, leftAtGift: number) =>
    leftAtGift - leftMs() < ARRIVES_WITHIN && (moves.has(instance) || !isConnected(instance))

  return {
    /**
     * Counts an instance as arriving at a member. An instance without an open session is not counted, because its move
     * interrupts nothing.
     */
    add(instance: string, to: string): void {
      if (isConnected(instance)) given.set(instance, { to, leftAtGift: leftMs() })
    },
    isFull(to: string): boolean {
      for (const [instance, { leftAtGift }] of given) if (!isArriving(instance, leftAtGift)) given.delete(instance)
      return [...given.values()].filter((each) => each.to === to).length >= ARRIVING
    },
  }
}

/** The instances that were given away and that the other member has not claimed yet. */
function createUnclaimed({ map, leftMs }: Pick<GiveAwayOptions, 'map' | 'leftMs'>) {
  const given = new Map<string, { to: string; leftWhenFree?: number }>()

  return {
    add: (instance: string, to: string): void => void given.set(instance, { to }),
    /** Whether the member has left an instance unclaimed for `CLAIMS_WITHIN`. */
    isLeftBy(member: string): boolean {
      let isLeft = false
      for (const [instance, gift] of given) {
        if (gift.to !== member) continue
        const home = map.homeOf(instance)
        if (home?.isFree && home.wanted === member) {
          gift.leftWhenFree ??= leftMs()
          isLeft ||= gift.leftWhenFree - leftMs() >= CLAIMS_WITHIN
        } else if (gift.leftWhenFree !== undefined) given.delete(instance)
      }
      return isLeft
    },
  }
}
