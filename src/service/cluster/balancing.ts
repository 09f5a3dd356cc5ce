import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../../domain/clock.ts'
import type { StoredHome } from '../../storage/homes.ts'
import { transfersOf } from './balance.ts'
import { favourite } from './claim-rules.ts'
import type { ClusterHostingDeps, HostingTimes } from './contract.ts'
import type { Moves } from './moves.ts'

export interface BalancingOptions {
  times: HostingTimes
  moves: Moves
  /** Ids of the other members. */
  others(): string[]
  isMovable(instance: string): boolean
  /**
   * Whether this member gave the instance away because the start failed here. If another member does not claim such an
   * instance, that member need not be at fault.
   */
  isAway(instance: string): boolean
  hasEnded(): boolean
}

/**
 * Maximum number of instances of one round that are on their way to another member. The next instance stays connected
 * here in the meantime, instead of waiting there without a session behind the starts of the others.
 */
const AT_ONCE = 4
/** Milliseconds after which an instance no longer counts as on its way, although it is not connected there. */
const ARRIVES_WITHIN = 5 * SECOND
const ARRIVAL_LOOK = 50
/**
 * Time for which a member gets no instances after it has not claimed one that was given to it, as a multiple of
 * `quiet`.
 */
const NOT_TAKEN_BARS = 10
/** Maximum number of instances that one member gives away in one round. */
const MOST_IN_ROUND = 20

export type BalancingDeps = Pick<
  ClusterHostingDeps,
  'self' | 'homes' | 'map' | 'directory' | 'clock' | 'isBusy' | 'startsPerSecond'
>

/** Gives instances to members that have fewer. */
export function createBalancing(deps: BalancingDeps, options: BalancingOptions) {
  const { self, homes: ownHomes, map, directory, clock, isBusy = () => false, startsPerSecond } = deps
  const { times, moves, others, isMovable, isAway, hasEnded } = options
  let known = ''
  let changedAt = clock.now()
  let begunAt = clock.now()
  let homes: ReadonlyMap<string, StoredHome> = new Map()
  /** Time until which a member gets no instances, by the id of the member. */
  const barredUntil = new Map<string, number>()

  function bar(member: string, ms: number) {
    barredUntil.set(member, Math.max(clock.now() + ms, barredUntil.get(member) ?? 0))
  }

  /**
   * Finds out which members should get no instances for a while: those that gave instances away, did not claim what was
   * given to them, or must first start many instances.
   */
  function noteBarred() {
    const gained = new Map<string, number>()
    for (const { instance, writer } of map.all()) {
      const before = homes.get(instance)
      if (before === undefined || before.writer === writer) continue
      if (writer !== null) gained.set(writer, (gained.get(writer) ?? 0) + 1)
      if (before.writer !== null) bar(before.writer, times.quiet)
      else if (before.wanted !== null && before.wanted !== writer && !isAway(instance))
        bar(before.wanted, NOT_TAKEN_BARS * times.quiet)
    }
    for (const [member, count] of gained) if (count > MOST_IN_ROUND) bar(member, (count * SECOND) / startsPerSecond)
    homes = new Map(map.all().map((home) => [home.instance, home]))
  }

  const takes = (member: string) => clock.now() >= (barredUntil.get(member) ?? Number.NEGATIVE_INFINITY)

  /** The other members that get instances at the moment. */
  const takers = () => others().filter(takes)

  function isDue(): boolean {
    const now = clock.now()
    const members = others().sort().join(' ')
    if (members !== known) changedAt = now
    known = members
    return now - changedAt >= times.quiet && now - begunAt >= times.balanceEvery && moves.size === 0
  }

  /** Returns the instances that this member should give away, each with the member that should get it. */
  function surplus(): [instance: string, to: string][] {
    const all = [self, ...takers()]
    // This member counts its own instances again, because moves may have ended since the table of homes was read.
    const counts = map.countsOf(all).set(self, ownHomes.own().length)
    const own = transfersOf(counts, MOST_IN_ROUND).filter(({ from }) => from === self)
    const movable =
      own.length === 0
        ? []
        : directory
            .ids()
            .filter(isMovable)
            .sort((one, other) => Number(isBusy(one)) - Number(isBusy(other)))
    const favourites = new Map<string, string | undefined>()
    const favouriteOf = (instance: string) => {
      if (!favourites.has(instance)) favourites.set(instance, favourite(instance, all))
      return favourites.get(instance)
    }
    return own.flatMap(({ to, count }) => {
      const liked = firstOf(movable, count, (each) => favouriteOf(each) === to)
      const chosen = [...liked, ...firstOf(movable, count - liked.length, (each) => !liked.includes(each))]
      for (const each of chosen) movable.splice(movable.indexOf(each), 1)
      return chosen.map((each): [string, string] => [each, to])
    })
  }

  /** Resolves when the instance is connected at the other member, or after `ARRIVES_WITHIN`. */
  async function arrival(instance: string): Promise<void> {
    const endsAt = clock.now() + ARRIVES_WITHIN
    while (!directory.isConnected(instance) && clock.now() < endsAt && !hasEnded()) await pause(ARRIVAL_LOOK)
  }

  async function give([instance, to]: [instance: string, to: string]): Promise<void> {
    const isInterrupted = directory.isConnected(instance)
    if ((await moves.give(instance, to, 'balance', isMovable)) && isInterrupted) await arrival(instance)
  }

  return {
    takers,
    /**
     * Begins a round of moves if one is due. A round ends at the latest when the next one is due, because the numbers
     * of instances have changed by then.
     */
    look(): void {
      noteBarred()
      if (!isDue()) return
      begunAt = clock.now()
      const endsAt = begunAt + times.balanceEvery
      const left = surplus()
      const giveAll = async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          if (hasEnded() || clock.now() > endsAt) return
          if (isMovable(next[0])) await give(next)
        }
      }
      for (let count = 0; count < AT_ONCE; count++) void giveAll()
    },
  }
}

/** Returns the first values that fit, at most `most`. */
function firstOf<T>(values: readonly T[], most: number, fits: (value: T) => boolean): T[] {
  const found: T[] = []
  for (const value of values) {
    if (found.length >= most) break
    if (fits(value)) found.push(value)
  }
  return found
}
