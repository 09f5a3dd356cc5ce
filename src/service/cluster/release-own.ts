import { SECOND } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'
import { orLate } from '../../lib/deadline.ts'
import type { Homes } from '../../storage/homes.ts'

export interface ReleaseDeps {
  homes: Pick<Homes, 'own' | 'release'>
  /** Makes the store refuse what the threads of this service may still write. All of them have ended. */
  endThreads(): Promise<unknown>
  log: Pick<Log, 'warn'>
}

const LIMIT = 2 * SECOND

/**
 * Releases the instances that this member still has, so that any member may claim them. Never rejects, and takes at
 * most two seconds. If a thread was terminated, the database may still carry out its last commit, so nothing is released
 * before the store refuses it.
 */
export async function releaseOwn({ homes, endThreads, log }: ReleaseDeps, leftMs: number): Promise<void> {
  const own = homes.own()
  if (own.length === 0) return
  const released = endThreads()
    .then(() => homes.release(own))
    .catch((err: unknown) => {
      log.warn({ err, instances: own.length }, 'the instances could not be released; other members start them as after a failure')
    })
  await orLate(released, Math.min(leftMs, LIMIT), () => {})
}
