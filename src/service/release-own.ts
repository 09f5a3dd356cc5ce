import type { Config } from '../config.ts'
import { SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { orLate } from '../lib/deadline.ts'
import { threadOf } from '../storage/disk.ts'
import type { Homes } from '../storage/homes.ts'
import type { OpenStore } from '../storage/store-backend.ts'
import type { Shutdown } from './shutdown.ts'

export interface ReleaseDeps {
  homes: Pick<Homes, 'own' | 'release'>
  /** Makes the store refuse what the threads of this service may still write. All of them have ended. */
  endThreads(): Promise<unknown>
  log: Pick<Log, 'warn'>
}

const LIMIT = 2 * SECOND

/**
 * Registers the release of the instances for the stop of this service. It must be registered before everything that may
 * write records of instances, so that it runs after all of these have ended.
 */
export function releaseAtStop(
  { shards }: Pick<Config, 'shards'>,
  { store, shutdown, log }: { store: Pick<OpenStore, 'homes' | 'endThread'>; shutdown: Shutdown; log: Pick<Log, 'warn'> },
): void {
  const { homes, endThread } = store
  if (homes === undefined) return
  const endThreads = () => Promise.all(Array.from({ length: shards }, (_, shard) => endThread?.(threadOf(shard))))
  shutdown.add((leftMs) => releaseOwn({ homes, endThreads, log }, leftMs))
}

/**
 * Releases the instances that this service still has. Any other service may then claim them, and does not treat them as
 * instances of a failed service. The writers of the threads are ended first, because the database may still carry out
 * the last commit of a terminated thread. Never rejects, and takes at most two seconds.
 */
export async function releaseOwn({ homes, endThreads, log }: ReleaseDeps, leftMs: number): Promise<void> {
  const own = homes.own()
  if (own.length === 0) return
  const released = endThreads()
    .then(() => homes.release(own))
    .catch((err: unknown) => {
      log.warn(
        { err, instances: own.length },
        'the instances could not be released; members of a cluster start them as after a failure',
      )
    })
  await orLate(released, Math.min(leftMs, LIMIT), () => {})
}
