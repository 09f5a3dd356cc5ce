import { spread } from './balance.ts'
import type { ClusterHostingDeps, HostingTimes } from './contract.ts'
import type { Moves } from './moves.ts'
import type { Starting } from './starting.ts'

type Deps = Pick<ClusterHostingDeps, 'homes' | 'map' | 'directory' | 'canStart' | 'failingFor' | 'clock' | 'log'>

export interface FailingDeps extends Deps {
  starting: Pick<Starting, 'failingFor'>
  moves: Pick<Moves, 'give'>
  times: Pick<HostingTimes, 'giveUpAfter' | 'keepAway'>
}

export interface Failing {
  /** Gives the instances that this member could not start for a while to the other members in `takers`. */
  giveTo(takers: readonly string[]): void
  /** Whether another member should claim the instance, because this one could not start it. */
  isAway(instance: string): boolean
  /** Whether other members should claim all instances, because this one can probably start none. */
  isUnfit(): boolean
}

/**
 * A member can probably start no instance if it has given away at least this many that it could not start, and has
 * fewer than these left.
 */
const UNFIT_AFTER = 3
const NOT_STARTED = 'this service could not start an instance for a while, and gives it to another service of the cluster'
const STUCK =
  'an instance can still not be started here, and no other service of the cluster can get it at the moment; earlier lines say why'

/** Finds the instances that this member has and cannot start, and gives them to other members. */
export function createFailing(deps: FailingDeps): Failing {
  const { homes, map, directory, starting, moves, canStart = () => true, failingFor = () => undefined, times, clock, log } = deps
  const awayUntil = new Map<string, number>()
  let stuck: ReadonlySet<string> = new Set()

  function isAway(instance: string): boolean {
    const until = awayUntil.get(instance)
    if (until === undefined) return false
    if (clock.now() < until) return true
    awayUntil.delete(instance)
    return false
  }

  function isFailing(instance: string): boolean {
    const ms = Math.max(starting.failingFor(instance) ?? 0, failingFor(instance) ?? 0)
    if (ms < times.giveUpAfter || map.isLeaving(instance) || directory.isPaused(instance)) return false
    // If the instance came back within `keepAway`, no other member could start it either.
    return !isAway(instance)
  }

  function noteStuck(instances: readonly string[]): void {
    for (const each of instances) if (!stuck.has(each)) log.error({ instance_id: each }, STUCK)
    stuck = new Set(instances)
  }

  return {
    giveTo(takers) {
      const failing = homes.own().filter(isFailing)
      const given = spread(failing, map.countsOf(takers))
      noteStuck(failing.filter((each) => !given.has(each)))
      for (const [instance, to] of given) {
        log.warn({ instance_id: instance, to }, NOT_STARTED)
        awayUntil.set(instance, clock.now() + times.keepAway)
        void moves.give(instance, to, 'start_failed')
      }
    },
    isAway,
    isUnfit() {
      if (!canStart()) return true
      const away = [...awayUntil.keys()].filter(isAway).length
      return away >= UNFIT_AFTER && away > homes.own().length
    },
  }
}
