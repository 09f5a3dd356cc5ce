import { HOUR } from '../../domain/clock.ts'
import { spread } from './balance.ts'
import type { ClusterHostingDeps, HostingTimes } from './contract.ts'
import type { Moves } from './moves.ts'
import type { Starting } from './starting.ts'

type Deps = Pick<ClusterHostingDeps, 'homes' | 'map' | 'directory' | 'canStart' | 'failingFor' | 'clock' | 'log'>

export interface FailingDeps extends Deps {
  starting: Pick<Starting, 'failingFor'>
  moves: Pick<Moves, 'give' | 'has'>
  times: Pick<HostingTimes, 'giveUpAfter' | 'keepAway'>
}

export interface Failing {
  /**
   * Gives instances whose start has failed for `giveUpAfter` ms to the members in `takers`, because another member may
   * be able to start them.
   */
  giveTo(takers: readonly string[]): void
  /**
   * Milliseconds for which this member could not start the instance. Undefined if it could or will soon, or if it does
   * not have the instance.
   */
  msOf(instance: string): number | undefined
  /** Whether another member should claim the instance, because this one could not start it. */
  isAway(instance: string): boolean
  /** Whether other members should claim all instances, because this one can probably start none. */
  isUnfit(): boolean
}

/**
 * Number of instances that a member must at least have given away because it could not start them, to count as unable
 * to start any. It must also have fewer instances left than it has given away so.
 */
const UNFIT_AFTER = 3
/** Longest time in ms for which an instance is kept away. */
const LONGEST_AWAY = 8 * HOUR
const NOT_STARTED = 'this service could not start an instance for a while, and gives it to another service of the cluster'
const STUCK =
  'an instance can still not be started here, and no other service of the cluster can get it at the moment; earlier lines say why'

/** Finds the instances that this member has and cannot start, and gives them to other members. */
export function createFailing(deps: FailingDeps): Failing {
  const { homes, map, directory, starting, moves, canStart = () => true, failingFor = () => undefined, times, clock, log } = deps
  const away = new Map<string, { until: number; ms: number }>()
  let stuck: ReadonlySet<string> = new Set()

  const isAway = (instance: string) => clock.now() < (away.get(instance)?.until ?? Number.NEGATIVE_INFINITY)

  function msOf(instance: string): number | undefined {
    if (!homes.isOwn(instance)) return undefined
    return starting.failingFor(instance) ?? failingFor(instance)
  }

  function isFailing(instance: string): boolean {
    const ms = msOf(instance) ?? 0
    return ms >= times.giveUpAfter && !map.isLeaving(instance) && !moves.has(instance) && !directory.isPaused(instance)
  }

  /**
   * Gives the instance away, and keeps it away for longer each time. Otherwise an instance that no member can start
   * would move all the time.
   */
  async function give(instance: string, to: string): Promise<void> {
    log.warn({ instance_id: instance, to }, NOT_STARTED)
    const before = away.get(instance)
    const ms = before === undefined ? times.keepAway : Math.min(LONGEST_AWAY, 2 * before.ms)
    away.set(instance, { until: clock.now() + ms, ms })
    if (await moves.give(instance, to, 'start_failed')) return
    // The instance was not given, so this member tries again, but not each second.
    away.set(instance, { until: clock.now() + times.giveUpAfter, ms: before?.ms ?? times.keepAway / 2 })
  }

  /** Forgets the instances that have not failed here again within `ms` after the time for which they were kept away. */
  function forgetOld(): void {
    for (const [instance, { until, ms }] of away) if (clock.now() >= until + ms) away.delete(instance)
  }

  function noteStuck(instances: readonly string[]): void {
    for (const each of instances) if (!stuck.has(each)) log.error({ instance_id: each }, STUCK)
    stuck = new Set(instances)
  }

  return {
    giveTo(takers) {
      forgetOld()
      const failing = homes.own().filter(isFailing)
      // If an instance came back while it was kept away, probably no other member could start it either, so it is not
      // given again yet.
      const given = spread(
        failing.filter((each) => !isAway(each)),
        map.countsOf(takers),
      )
      noteStuck(failing.filter((each) => !given.has(each)))
      for (const [instance, to] of given) void give(instance, to)
    },
    msOf,
    isAway,
    isUnfit() {
      if (!canStart()) return true
      const count = [...away.keys()].filter(isAway).length
      return count >= UNFIT_AFTER && count > homes.own().length
    },
  }
}
