/**
 * Hosts and credentials for uploads, queried once per socket and cached for the TTL of the answer. The library's own cache is not used: after one
 * failed or unanswered query it returns the same rejected promise to every later upload of the socket.
 */
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { mediaConnectionQuery, mediaHostsIn, type MediaHosts as Named } from '../wire/media-connection.ts'
import type { Ask } from './ask.ts'

export type MediaConnection = Pick<Named, 'auth' | 'hosts'>

/** `isNew`: queries again, because the cached credentials were refused. */
export type MediaHosts = (ask: Ask, isNew?: boolean) => Promise<MediaConnection>

/** Time for which an answer without a TTL is cached. */
const USUAL_LIFE = 300 * SECOND

/** Creates the cache. Its times are measured with `steady`, because the wall clock may be changed. */
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
