import { claimsOf } from './claim-rules.ts'
import type { ClusterHostingDeps, HostingTimes, StartAgain } from './contract.ts'
import { createFreeWatch } from './free-watch.ts'
import type { Starting } from './starting.ts'

export interface ClaimingDeps {
  starting: Pick<Starting, 'add' | 'size'>
  /** Ids of the other members. */
  others(): readonly string[]
  times: Pick<HostingTimes, 'patience' | 'shareAfter'>
}

export interface Claiming {
  /** Claims what this member should have of the instances that no living member has, and puts it in line for its start. */
  claim(): Promise<void>
  /** Whether the last claim has left instances for later, and enough of the others were started since. */
  hasRoomAgain(): boolean
}

/** Three seconds of starts on one route. */
const MOST_IN_LINE = 75
const CLAIMED =
  'this service has claimed instances that no running service had; of_ended is the number of those whose service has ended'

export function createClaiming(
  { self, homes, map, directory, clock, log }: ClusterHostingDeps,
  { starting, others, times }: ClaimingDeps,
): Claiming {
  const free = createFreeWatch(clock)
  let isFull = false

  async function take(
    instances: readonly string[],
    howOf: (instance: string) => StartAgain,
    options?: { isAnybodys: boolean },
  ): Promise<void> {
    try {
      await homes.claim(instances, options)
    } finally {
      // If a part of the claim fails, the others may have been granted.
      const own = instances.filter(homes.isOwn)
      for (const each of own) starting.add(each, howOf(each))
      const ended = own.filter((each) => howOf(each) === 'takeover').length
      if (own.length > 0) log.info({ instances: own.length, of_ended: ended }, CLAIMED)
    }
  }

  return {
    hasRoomAgain: () => isFull && starting.size() < MOST_IN_LINE / 2,

    async claim() {
      const stored = map.all()
      const found = free.of(stored, directory.ids()).filter(({ instance }) => !homes.isOwn(instance))
      const room = Math.max(0, MOST_IN_LINE - starting.size())
      const { instances, anybodys } = claimsOf(found, {
        self,
        others: new Set(others()),
        patienceMs: times.patience,
        shareAfterMs: times.shareAfter,
        room,
      })
      isFull = found.length > 0 && instances.length + anybodys.length >= room
      // The answer to an earlier claim or release was lost.
      const unsure = stored.flatMap(({ instance, writer }) =>
        writer === self && !homes.isOwn(instance) && !map.isLeaving(instance) && directory.has(instance) ? [instance] : [],
      )
      const before = new Map(stored.map(({ instance, writer }) => [instance, writer]))
      const howOf = (instance: string) => ([undefined, null, self].includes(before.get(instance)) ? 'boot' : 'takeover')
      await take([...instances, ...unsure], howOf)
      await take(anybodys, howOf, { isAnybodys: true })
    },
  }
}
