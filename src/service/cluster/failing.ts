import type { ClusterHostingDeps, HostingTimes } from './contract.ts'
import type { Starting } from './starting.ts'

export interface FailingDeps extends Pick<ClusterHostingDeps, 'homes' | 'canStart' | 'failingFor' | 'clock' | 'log'> {
  starting: Pick<Starting, 'failingFor'>
  times: Pick<HostingTimes, 'giveUpAfter' | 'keepAway'>
}

export interface Failing {
  /** Those of these instances that this member should give to another one, because it cannot start them. */
  of(instances: readonly string[]): string[]
  /** Must be called when such an instance is given to another member. */
  noteGiven(instance: string): void
  /** Must be called for instances that no other member can get. */
  noteStuck(instances: readonly string[]): void
  /** Whether another member should claim the instance, because this one could not start it. */
  isAway(instance: string): boolean
  /** Whether other members should claim all instances, because this one can probably start none. */
  isUnfit(): boolean
}

/** A member that could not start more instances than it has, and at least so many, can probably start none. */
const UNFIT_AFTER = 3

const STUCK =
  'an instance can still not be started here, and no other service of the cluster can get it at the moment; earlier lines say why'

/** The instances that this member has and cannot start. */
export function createFailing(deps: FailingDeps): Failing {
  const { homes, starting, canStart = () => true, failingFor = () => undefined, times, clock, log } = deps
  const awayUntil = new Map<string, number>()
  let stuck: ReadonlySet<string> = new Set()

  function isAway(instance: string): boolean {
    const until = awayUntil.get(instance)
    if (until === undefined) return false
    if (clock.now() < until) return true
    awayUntil.delete(instance)
    return false
  }

  return {
    of: (instances) =>
      instances.filter((each) => {
        const ms = Math.max(starting.failingFor(each) ?? 0, failingFor(each) ?? 0)
        // If it came back, no other member has started it either.
        return ms >= times.giveUpAfter && !isAway(each)
      }),
    noteGiven: (instance) => void awayUntil.set(instance, clock.now() + times.keepAway),
    noteStuck(instances) {
      for (const each of instances) if (!stuck.has(each)) log.error({ instance_id: each }, STUCK)
      stuck = new Set(instances)
    },
    isAway,
    isUnfit() {
      if (!canStart()) return true
      const away = [...awayUntil.keys()].filter(isAway).length
      return away >= UNFIT_AFTER && away > homes.own().length
    },
  }
}
