import { SECOND } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'
import { orLate } from '../../lib/deadline.ts'
import type { Homes } from '../../storage/homes.ts'
import type { HomeMap } from './home-map.ts'

export interface ReleaseDeps {
  homes: Pick<Homes, 'isOwn' | 'release'>
  map: Pick<HomeMap, 'all'>
  log: Pick<Log, 'warn'>
}

const LIMIT = 2 * SECOND

/** Releases the instances that this member still has, to anybody. Never rejects, and takes two seconds at most. */
export async function releaseOwn({ homes, map, log }: ReleaseDeps, leftMs: number): Promise<void> {
  const own = map.all().flatMap(({ instance }) => (homes.isOwn(instance) ? [instance] : []))
  if (own.length === 0) return
  const released = homes.release(own).catch((err: unknown) => {
    log.warn({ err, instances: own.length }, 'the instances could not be released; other members start them as after a failure')
  })
  await orLate(released, Math.min(leftMs, LIMIT), () => {})
}
