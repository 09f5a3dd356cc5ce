/**
 * Each member of a cluster has a part of the instances. This member claims those that no living member has, starts them,
 * and gives some to members that have fewer.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE, SECOND } from '../../domain/clock.ts'
import { orLate } from '../../lib/deadline.ts'
import { spread } from './balance.ts'
import { createBalancing } from './balancing.ts'
import { claimsOf } from './claim-rules.ts'
import type { ClusterHostingDeps, HostingTimes, StartAgain } from './contract.ts'
import { createErasing } from './erasing.ts'
import { createFreeWatch } from './free-watch.ts'
import { createIdleWatch } from './idle-watch.ts'
import { createLookRequests } from './look-requests.ts'
import { createMoves } from './moves.ts'
import { createStarting } from './starting.ts'

export interface ClusterHosting {
  /**
   * Claims the share of this member and starts it, and goes on to do so with each look at the members. Resolves after the
   * first time, or when the store is slow.
   */
  begin(): Promise<void>
  /** Looks now instead of with the next look at the members, after `begin`. */
  look(): void
  /** Gives all instances to the other members. Resolves when none is left, or after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>
  /** Claims and gives nothing more. Resolves when what has begun has ended, or after half of `leftMs`. */
  stop(leftMs?: number): Promise<void>
}

const TIMES: HostingTimes = {
  patience: 2 * SECOND,
  shareAfter: 15 * SECOND,
  balanceEvery: 5 * SECOND,
  quiet: MINUTE,
  drainEvery: 40,
  beginWithin: 5 * SECOND,
}
/** Three seconds of starts on one route. */
const MOST_IN_LINE = 75
const STOP_WITHIN = 5 * SECOND
const CLAIMED =
  'this service has claimed instances that no running service had; of_ended is the number of those whose service has ended'
const NOT_CLAIMED = 'the service could not read or claim homes of instances; it tries again'

export function createClusterHosting(deps: ClusterHostingDeps): ClusterHosting {
  const { self, homes, members, map, directory, clock, log } = deps
  const times = { ...TIMES, ...deps.times }
  const erasing = createErasing(deps)
  const starting = createStarting({ ...deps, erase: erasing.add, onStarted: claimMore })
  const requests = createLookRequests(deps)
  const free = createFreeWatch(clock)
  const moves = createMoves(deps, {
    onBegun: starting.remove,
    onGiven: requests.ask,
    onFailed(instance) {
      if (homes.isOwn(instance)) starting.add(instance, 'boot')
    },
  })
  const isSettledHere = (each: string) => homes.isOwn(each) && !map.isLeaving(each) && !starting.has(each)
  const idle = createIdleWatch((each) => isSettledHere(each) && !deps.isHosted(each) && !directory.isPaused(each))
  let looking: Promise<void> | undefined
  let isLookDue = false
  let hasBegun = false
  /** Whether instances are left that this member will claim when it has started others. */
  let isFull = false
  let isDraining = false
  let isStopped = false

  const others = () => members.others().map(({ id }) => id)
  const balancing = createBalancing(deps, {
    times,
    moves,
    others,
    isMovable: (each) => isSettledHere(each) && directory.mayMove(each, times.quiet),
    hasEnded: () => isDraining || isStopped,
  })

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

  async function claim(): Promise<void> {
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
  }

  function startAll(): Promise<void> {
    for (const each of idle.look(directory.ids())) starting.add(each, 'boot')
    return starting.startAll()
  }

  async function look(): Promise<void> {
    try {
      await map.refresh()
      if (isDraining) return
      // While nothing can be claimed, what was claimed before is started nevertheless.
      await claim().finally(startAll)
      erasing.look()
      balancing.look()
    } catch (err) {
      log.warn({ err }, NOT_CLAIMED)
    }
  }

  /** Instances that need no session start at once, so a member does not wait for the next look. */
  function claimMore(): void {
    if (isFull && !isDraining && starting.size() < MOST_IN_LINE / 2) lookNow()
  }

  /** A look that is due during another one follows it. */
  function lookNow(): void {
    if (!hasBegun || isStopped) return
    isLookDue = true
    looking ??= followLooks()
  }

  async function followLooks(): Promise<void> {
    while (isLookDue && !isStopped) {
      isLookDue = false
      await look()
    }
    looking = undefined
  }

  return {
    look: lookNow,

    async begin() {
      const first = look()
      hasBegun = true
      looking = first.then(followLooks)
      members.onLook(lookNow)
      await settled(first, times.beginWithin)
    },

    async drain(deadlineMs) {
      isDraining = true
      const endsAt = clock.now() + deadlineMs
      await settled(looking, deadlineMs / 4)
      const own = directory.ids().filter((each) => homes.isOwn(each))
      for (const [instance, to] of spread(own, map.countsOf(others()))) {
        if (clock.now() >= endsAt) break
        void moves.give(instance, to)
        await pause(times.drainEvery)
      }
      await settled(moves.ended(), endsAt - clock.now())
    },

    async stop(leftMs = Number.POSITIVE_INFINITY) {
      isStopped = true
      await settled(Promise.all([looking, moves.ended(), erasing.stop()]), Math.min(STOP_WITHIN, leftMs / 2))
    },
  }
}

/** While the database does not answer, the work may take longer than the process may live. */
const settled = async (work: Promise<unknown> | undefined, ms: number) => void (await orLate(Promise.resolve(work), ms, () => {}))
