/**
 * Each member of a cluster has a part of the instances. This member claims those that no living member has, starts
 * them, and gives some to members that have fewer.
 */
import { MINUTE, SECOND } from '../../domain/clock.ts'
import { orLate } from '../../lib/deadline.ts'
import { stayingOf } from '../../storage/members.ts'
import { createBalancing } from './balancing.ts'
import { createClaiming } from './claiming.ts'
import type { ClusterHostingDeps, HostingTimes } from './contract.ts'
import { createErasing } from './erasing.ts'
import { createFailing } from './failing.ts'
import { giveAway } from './give-away.ts'
import { createIdleWatch } from './idle-watch.ts'
import { createLookLoop } from './look-loop.ts'
import { createLookRequests } from './look-requests.ts'
import { createMoves } from './moves.ts'
import { startHowOf } from './start-how.ts'
import { createStarting } from './starting.ts'

export interface ClusterHosting {
  /**
   * Claims this member's share of the instances and starts them, and repeats this each time that the list of members is
   * read. Resolves after the first claim, or after some seconds if the store is slow.
   */
  begin(): Promise<void>
  /**
   * Looks at once for instances to claim or to give away, and does not wait for the next read of the member list. Does
   * nothing before `begin`.
   */
  look(): void
  /** Sets work that is done for each instance before it is given away. It must not reject, and gets two seconds. */
  beforeGiving(work: (instance: string) => Promise<unknown>): void
  /**
   * Milliseconds for which this member could not start the instance. Undefined if it could or will soon, or if it does
   * not have the instance.
   */
  failingFor(instance: string): number | undefined
  /**
   * Gives all instances to the other members, except paused ones. Resolves when the moves have ended, when no other
   * member stays, or after `deadlineMs`.
   */
  drain(deadlineMs: number): Promise<void>
  /**
   * Claims and gives nothing more. Resolves when the work under way has ended, at the latest after five seconds or half
   * of `leftMs`.
   */
  stop(leftMs?: number): Promise<void>
}

const TIMES: HostingTimes = {
  patience: 2 * SECOND,
  shareAfter: 15 * SECOND,
  balanceEvery: 5 * SECOND,
  quiet: MINUTE,
  // A thread pauses for up to 30 s between two attempts to start an instance.
  giveUpAfter: 45 * SECOND,
  keepAway: 10 * MINUTE,
  drainEvery: 40,
  beginWithin: 5 * SECOND,
}
const STOP_WITHIN = 5 * SECOND
const PREPARED_WITHIN = 2 * SECOND
const NOT_CLAIMED = 'the service could not read or claim homes of instances; it tries again'

export function createClusterHosting(deps: ClusterHostingDeps): ClusterHosting {
  const { homes, members, map, directory, clock, log } = deps
  const times = { ...TIMES, ...deps.times }
  const erasing = createErasing(deps)
  const starting = createStarting({ ...deps, erase: erasing.add, onStarted: claimMore })
  const requests = createLookRequests(deps)
  let beforeGiving: (instance: string) => Promise<unknown> = async () => {}
  const moves = createMoves(deps, {
    prepare: (instance) => settled(beforeGiving(instance), PREPARED_WITHIN),
    // The configuration of an instance that could not be started may be unreadable only for this member.
    isKnown: (instance) => directory.has(instance) || starting.has(instance),
    onBegun: starting.remove,
    onGiven: requests.ask,
    onFailed(instance) {
      if (homes.isOwn(instance)) startAgain(instance)
    },
  })
  const failing = createFailing({ ...deps, starting, moves, times })
  const isSettledHere = (each: string) => homes.isOwn(each) && !map.isLeaving(each) && !starting.has(each)
  const idle = createIdleWatch((each) => isSettledHere(each) && !deps.isHosted(each) && !directory.isPaused(each))
  const looks = createLookLoop(look)
  let isDraining = false

  const others = () => stayingOf(members).map(({ id }) => id)
  const claiming = createClaiming(deps, { starting, failing, others, times })
  const balancing = createBalancing(deps, {
    times,
    moves,
    others,
    // An instance whose thread is still starting is not moved: the move would end the thread, and the start would begin
    // again.
    isMovable: (each) => isSettledHere(each) && deps.failingFor?.(each) === undefined && directory.mayMove(each, times.quiet),
    isAway: failing.isAway,
    hasEnded: () => isDraining || looks.isStopped(),
  })

  function startAgain(instance: string): void {
    starting.add(instance, startHowOf(map.homeOf(instance), deps.self))
  }

  function startAll(): Promise<void> {
    for (const each of idle.look(directory.ids())) startAgain(each)
    return starting.startAll()
  }

  async function look(): Promise<void> {
    try {
      await map.refresh()
      if (isDraining) return
      // If the claim fails, the instances that were claimed before are started nevertheless.
      await claiming.claim().finally(startAll)
      erasing.look()
      balancing.look()
      failing.giveTo(balancing.takers())
    } catch (err) {
      log.warn({ err }, NOT_CLAIMED)
    }
  }

  /** Called when a start has ended, to claim further instances without waiting for the next look. */
  function claimMore(): void {
    if (claiming.hasRoomAgain() && !isDraining) looks.now()
  }

  return {
    look: looks.now,

    async begin() {
      const first = looks.begin()
      members.onLook(looks.now)
      await settled(first, times.beginWithin)
    },

    beforeGiving(work) {
      beforeGiving = work
    },

    failingFor: failing.msOf,

    async drain(deadlineMs) {
      isDraining = true
      const endsAt = clock.now() + deadlineMs
      await settled(looks.underWay(), deadlineMs / 4)
      // An instance that a command has paused is not moved, because the command works with its records.
      const own = directory.ids().filter((each) => homes.isOwn(each) && !directory.isPaused(each))
      await giveAway(own, {
        map,
        moves,
        others,
        isConnected: directory.isConnected,
        every: times.drainEvery,
        leftMs: () => endsAt - clock.now(),
      })
      await settled(moves.ended(), endsAt - clock.now())
    },

    async stop(leftMs = Number.POSITIVE_INFINITY) {
      looks.stop()
      await settled(Promise.all([looks.underWay(), moves.ended(), erasing.stop()]), Math.min(STOP_WITHIN, leftMs / 2))
    },
  }
}

/** Waits for the work, but not longer than `ms`. */
const settled = async (work: Promise<unknown> | undefined, ms: number) => void (await orLate(Promise.resolve(work), ms, () => {}))
