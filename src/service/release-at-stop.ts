import { SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { orLate } from '../lib/deadline.ts'
import type { Homes } from '../storage/homes.ts'
import type { OpenStore } from '../storage/store-backend.ts'
import type { Shutdown } from './shutdown.ts'

export interface ReleaseDeps {
  store: Pick<OpenStore, 'endThreads'> & { homes?: Pick<Homes, 'own' | 'release'> | undefined }
  shutdown: Pick<Shutdown, 'add'>
  log: Pick<Log, 'warn'>
}

const LIMIT = 2 * SECOND
/** Milliseconds that the release gets even if the stop has used up its time. The process is ended a second later. */
const LEAST = 500

/**
 * Registers the release of the instances that this service still has at its stop. Any other service may then claim
 * them, and does not treat them as instances of a failed service. The release must be registered before everything that
 * may write records of instances, so that it runs after all of these have ended. The writers of the threads are ended
 * first, because the database may still carry out the last commit of a terminated thread. The release never rejects,
 * and takes at most two seconds.
 */
export function releaseAtStop({ store, shutdown, log }: ReleaseDeps): void {
  const { homes, endThreads } = store
  if (homes === undefined) return
  const release = async (own: readonly string[]) => {
    try {
      await endThreads?.()
      await homes.release(own)
    } catch (err) {
      log.warn(
        { err, instances: own.length },
        'the instances could not be released; members of a cluster start them as after a failure',
      )
    }
  }
  shutdown.add(async (leftMs) => {
    const own = homes.own()
    // Earlier steps of the stop may have used up the time. Without the release, the others would see a failure.
    if (own.length > 0) await orLate(release(own), Math.min(Math.max(leftMs, LEAST), LIMIT), () => {})
  })
}
