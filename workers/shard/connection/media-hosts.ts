/**
 * Caches the hosts and credentials for uploads for the TTL of the answer. The library's cache is not used, because
 * it returns the rejected promise of one failed query to every later upload.
 */
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { mediaConnectionQuery, mediaHostsIn, type MediaHosts as Named } from '../wire/media-connection.ts'
import type { Ask } from './ask.ts'

export type MediaConnection = Pick<Named, 'auth' | 'hosts'>

export type MediaHosts = (ask: Ask, isNew?: boolean) => Promise<MediaConnection>

/** Time in ms for which an answer without a TTL is cached. */
const USUAL_LIFE = 300 * SECOND

/** Creates the cache. `steady` measures the times, because the wall clock may be changed. */
export function createMediaHosts(steady: Clock): MediaHosts {
  let known: (MediaConnection & { until: number }) | undefined

  return async (ask, isNew = false) => {
    if (known && !isNew && steady.now() < known.until) return known
    const found = mediaHostsIn(await ask(mediaConnectionQuery()))
    if (found === null) throw new Failure('send_failed', { message: 'The network named no host for media.' })
    const { auth, hosts, ttlSeconds } = found
    known = { auth, hosts, until: steady.now() + (ttlSeconds === null ? USUAL_LIFE : ttlSeconds * SECOND) }
    return known
  }
}
