import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, SECOND } from '../domain/clock.ts'
import { type Members, stayingOf } from '../storage/members.ts'
import type { ClusterHosting } from './cluster/cluster-hosting.ts'

export interface LeavingDeps {
  hosting: Pick<ClusterHosting, 'drain'>
  members: Pick<Members, 'others' | 'leave'>
  clock: Clock
}

/**
 * Milliseconds within which load balancers notice that a service is not ready. Leaving takes at most `SHARE` of the
 * time for the stop.
 */
const NOTICED_AFTER = 6 * SECOND
const SHARE = 0.6

/**
 * Moves the instances of this member to the other members, and waits until load balancers have noticed that this member
 * is not ready. Resolves at once if no other member stays.
 */
export async function leaveCluster({ hosting, members, clock }: LeavingDeps, leftMs: number): Promise<void> {
  members.leave()
  if (stayingOf(members).length === 0) return
  const endsAt = clock.now() + Math.min(NOTICED_AFTER, leftMs * SHARE)
  await hosting.drain(leftMs * SHARE)
  const restMs = endsAt - clock.now()
  if (restMs > 0) await pause(restMs)
}
