/**
 * Starts the copying of received files to a bucket (`SVC_MEDIA_URL`). Without a bucket, none of its modules are loaded.
 */
import type { ClockWatch } from '../clock-watch.ts'
import type { Config } from '../config.ts'
import type { Directory } from '../directory/directory.ts'
import type { Bucket } from '../domain/bucket.ts'
import { HOUR } from '../domain/clock.ts'
import type { Logger } from '../log.ts'
import type { MediaCopies } from '../media/copies/media-copies.ts'
import { createMediaLinks } from '../media/media-links.ts'
import type { Tally } from '../metrics/tally.ts'
import { hasInstance } from '../storage/beside-members.ts'
import { keys } from '../storage/record-keys.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Threads } from './open-threads.ts'
import type { Shutdown } from './shutdown.ts'

export interface CopiesDeps {
  log: Logger
  clockWatch: ClockWatch
  shutdown: Shutdown
  storage: ServiceStorage
  threads: Pick<Threads, 'engine'>
  directory: Directory
  tally: Tally
}

export async function openCopies(
  { network, egressAllow, logging, mediaDays }: Config,
  bucket: Bucket,
  { log, clockWatch, shutdown, storage, threads, directory, tally }: CopiesDeps,
): Promise<MediaCopies> {
  const [{ COPIES, createMediaCopies }, { copyBucket }, { copyNames }, { createCopies }] = await Promise.all([
    import('../media/copies/media-copies.ts'),
    import('../media/copies/copy-bucket.ts'),
    import('../media/copies/copy-name.ts'),
    import('../engine/copies.ts'),
  ])
  const { store, keyRing } = storage
  const pool = createCopies({ bucket, network, egressAllow, atOnce: COPIES, logging, log })
  const copies = createMediaCopies({
    store,
    links: createMediaLinks(keyRing.links),
    nameOf: copyNames(keyRing.links),
    bucket: copyBucket(bucket),
    clock: clockWatch.clock,
    days: mediaDays,
    copy: pool.copy,
    proxyOf: directory.proxyOf,
    isHere: (instance) => hasInstance(store, instance),
    count: (result) => tally.add('svc_media_copies_total', { result }),
    log,
  })
  threads.engine.onEvent((event) => {
    // In a cluster, an instance may have moved here without a `files` event. Its first `state` event then starts the
    // copies.
    if (event.type === 'files' || (event.type === 'state' && store.members !== undefined)) copies.wake(event.instance)
  })
  directory.onDeleted((instance) => void copies.removeOf(instance))
  // An earlier run of the service may have left files that are not copied yet.
  for await (const [key] of store.range(keys.configs)) copies.wake(key.slice(keys.configs.length))
  void copies.removeOld()
  const hourly = setInterval(() => void copies.removeOld(), HOUR)
  hourly.unref()
  shutdown.add(async () => {
    clearInterval(hourly)
    const stopped = copies.stop()
    await pool.close()
    await stopped
  })
  return copies
}
