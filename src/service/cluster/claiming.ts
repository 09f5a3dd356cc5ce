import type { ClaimedAfter } from '../../domain/nodes.ts'
import type { StoredHome } from '../../storage/homes.ts'
import { claimsOf, type FreeInstance } from './claim-rules.ts'
import type { ClusterHostingDeps, HostingTimes } from './contract.ts'
import type { Failing } from './failing.ts'
import { createFreeWatch } from './free-watch.ts'
import { hasFailed, startHowOf } from './start-how.ts'
import type { Starting } from './starting.ts'

export interface ClaimingDeps {
  starting: Pick<Starting, 'add' | 'size'>
  failing: Pick<Failing, 'isAway' | 'isUnfit'>
  /** Ids of the other members. */
  others(): readonly string[]
  times: Pick<HostingTimes, 'patience' | 'shareAfter'>
}

export interface Claiming {
  /** Claims this member's part of the instances that no living member has, and queues them for their start. */
  claim(): Promise<void>
  /** True if the last claim filled the queue of instances to start, and less than half of this queue is left. */
  hasRoomAgain(): boolean
}

/**
 * Number of queued instances from which on this member claims only instances that were released to it, and its share of
 * those that have been free for a while. By default, one network route starts as many in three seconds.
 */
const MOST_IN_LINE = 75
/**
 * Number of times `patience` after which a member claims an instance that it can probably not start, if no other member
 * has claimed it.
 */
const LAST_RESORT = 3
const CLAIMED =
  'this service has claimed instances that no running service had; of_ended is the number of those whose service has ended'

/**
 * Returns the event that made the instance free. Undefined if the instance is new, or if this member has it already.
 */
function claimedAfter(home: StoredHome | undefined, self: string): ClaimedAfter | undefined {
  if (home === undefined || home.writer === self) return undefined
  if (home.wanted === self) return 'move'
  return hasFailed(home, self) ? 'failure' : 'stop'
}

export function createClaiming(
  { self, homes, map, directory, tally, clock, log }: ClusterHostingDeps,
  { starting, failing, others, times }: ClaimingDeps,
): Claiming {
  const free = createFreeWatch(clock)
  let isFull = false

  async function take(
    instances: readonly string[],
    before: ReadonlyMap<string, StoredHome>,
    options?: { isAnybodys: boolean },
  ): Promise<void> {
    try {
      await homes.claim(instances, options)
    } finally {
      // If a part of the claim fails, other parts may have been granted.
      const own = instances.filter(homes.isOwn)
      for (const each of own) {
        starting.add(each, startHowOf(before.get(each), self))
        const after = claimedAfter(before.get(each), self)
        if (after !== undefined) tally.add('svc_homes_claimed_total', { after })
      }
      const ended = own.flatMap((each) => before.get(each) ?? []).filter((home) => hasFailed(home, self)).length
      if (own.length > 0) log.info({ instances: own.length, of_ended: ended }, CLAIMED)
    }
  }

  return {
    hasRoomAgain: () => isFull && starting.size() < MOST_IN_LINE / 2,

    async claim() {
      const stored = map.all()
      const isUnfit = failing.isUnfit()
      const staying = new Set(others())
      // True if the instance was given to this member, and no other member stays that could claim it. Commands for the
      // instance then wait for this member.
      const isOnlyTaker = ({ wanted }: FreeInstance) => wanted === self && staying.size === 0
      const isLeft = (each: FreeInstance) =>
        !(isUnfit || failing.isAway(each.instance)) || each.freeMs >= LAST_RESORT * times.patience || isOnlyTaker(each)
      const found = free
        .of(stored, directory.ids())
        .filter(({ instance }) => !homes.isOwn(instance))
        .filter(isLeft)
      const room = Math.max(0, MOST_IN_LINE - starting.size())
      const { instances, anybodys } = claimsOf(found, {
        self,
        others: staying,
        patienceMs: times.patience,
        shareAfterMs: times.shareAfter,
        room,
      })
      isFull = found.length > 0 && instances.length + anybodys.length >= room
      // The store says that this member has these instances, but the member does not know it, because the answer to an
      // earlier claim, release or removal was lost. They are claimed again.
      const unsure = stored.flatMap(({ instance, writer }) =>
        writer === self && homes.isSettledElsewhere(instance) && !map.isLeaving(instance) ? [instance] : [],
      )
      const before = new Map(stored.map((home) => [home.instance, home]))
      await take([...instances, ...unsure], before)
      await take(anybodys, before, { isAnybodys: true })
    },
  }
}
