import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Bucket } from '../domain/bucket.ts'
import { MINUTE } from '../domain/clock.ts'
import type { SharedDisk } from '../domain/disk.ts'
import type { ServiceNode } from '../domain/nodes.ts'
import type { Steps } from '../domain/steps.ts'
import { createKillAt } from '../kill-at.ts'
import type { Logger } from '../log.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import { type BlobItems, measureBlobs, recountBlobs } from '../storage/blobs/items.ts'
import type { BucketWatch } from '../storage/bucket/bucket-watch.ts'
import { claimsOf, type DiskWatch, noteCommit, shareDisk, watchDisk } from '../storage/disk.ts'
import { endWithStore } from '../storage/end-now.ts'
import { eraseLeftovers } from '../storage/erase.ts'
import { checkSecretKey, type KeyRing, openKeyRing } from '../storage/key-ring.ts'
import { refuseMarked } from '../storage/moving/marks.ts'
import { openBlobItems, openStore } from '../storage/open-store.ts'
import type { Sealer } from '../storage/sealer.ts'
import { loadSecretKey } from '../storage/secret-key.ts'
import { holdLease, type SharedLease, shareLease } from '../storage/shared-lease.ts'
import type { Backend, OpenStore, OwnNode, Turn } from '../storage/store-backend.ts'
import { clusterOptions } from './cluster-options.ts'
import { checkFolders, markFolders } from './shared-folders.ts'
import type { Shutdown } from './shutdown.ts'
import { threadsOf } from './stand-by.ts'

export interface ServiceStorage {
  store: OpenStore
  keyRing: KeyRing
  sealer: Sealer
  disk: SharedDisk
  diskWatch: DiskWatch
  blobs: BlobItems
  blobsUsed: BigInt64Array
  blobsWatch: BucketWatch | undefined
  steps: Steps
  /** True if the previous service on this store did not shut down properly. It may still run on another machine. */
  hasTakenOver: boolean
  lease: SharedLease
  /**
   * Returns the services of the store, as the last look at the store found them (once a second). Undefined if only this
   * machine can use the store.
   */
  nodes(): readonly ServiceNode[] | undefined
  /** Sets the only listener, which is called when a command has written something to the store. */
  onVisit(listener: () => void): void
}

/** Interval in ms at which a member of a cluster counts the media that all members have stored. */
const COUNT_AGAIN = MINUTE

export async function openStorage(
  config: Config,
  {
    log,
    shutdown,
    backend,
    node,
    turn,
    link,
  }: {
    log: Logger
    shutdown: Shutdown
    backend: Backend
    node: OwnNode
    turn: Turn | undefined
    link: Pick<PeerLink, 'askMember' | 'setMember'> | undefined
  },
): Promise<ServiceStorage> {
  await backend.refuseDamaged((problem) => log.warn({ problem }, 'the store could not be checked'))
  const disk = shareDisk(threadsOf(config))
  const lease = shareLease()
  let nodes: readonly ServiceNode[] | undefined
  const store = await openStore(config.storeUrl, {
    keysDir: config.keysDir ?? undefined,
    turn,
    node,
    cluster: config.isCluster ? clusterOptions(log, link) : undefined,
    claims: claimsOf(disk, 0),
    onCommit: noteCommit(disk),
    onOver: endWithStore(log),
    onUnreached: (address) =>
      log.warn(
        { address },
        `this service cannot ask ${config.isCluster ? 'another member' : 'its standby'} at this address, or another service answers there (SVC_STANDBY_ADDRESS); if the database fails for four seconds, it ends, and all accounts must log in again (docs/cluster.md)`,
      ),
    onUnlisted: (cause) =>
      log.warn(
        { err: cause },
        'the database does not store the entry of this service in the list of services (is its disk full, or was a right on svc_service removed?); others cannot tell whether this service runs',
      ),
    onHeld: (until, since) => holdLease(lease, until, since),
    onNodes(found) {
      nodes = found
    },
  })
  const { members, ownerId } = store
  if (members !== undefined && ownerId !== undefined) link?.setMember({ id: ownerId, reachesStore: members.reachesStore })
  let giveBack: (() => Promise<void>) | undefined
  shutdown.add(async () => {
    await store.close()
    await giveBack?.()
  })
  await refuseMarked(store)
  const secretKey = await loadSecretKey({
    secretKey: config.secretKey ?? undefined,
    file: join(config.dataDir, 'secret-key'),
    store,
    isGivenOnly: backend.needsSecretKey,
  })
  await checkSecretKey(store, secretKey)
  // From here on only one service (or the members of one cluster) may use the store. Two services may safely run the
  // code above at the same time, so the store is claimed only now.
  let visited = () => {}
  giveBack = await store.own(() => visited())
  if (members !== undefined) {
    log.info({ others: members.others().map(({ name }) => name) }, 'this service is a member of a cluster')
    await checkFolders(config, store)
  } else if (store.ownerId !== undefined) await markFolders(config, store.ownerId)
  await refuseMarked(store)
  const diskWatch = await watchDisk({
    shared: disk,
    dirs: [config.dataDir, store.dir, config.blobsDir].flatMap((dir) => dir ?? []),
    reserveBytes: config.diskReserveBytes,
    hasRoom: store.hasRoom,
    log,
  })
  shutdown.add(() => diskWatch.stop())
  const { blobs: place } = config
  const keyRing = await openKeyRing(store, secretKey)
  const blobs = await openBlobItems(place, store)
  const blobsUsed = new BigInt64Array(new SharedArrayBuffer(8))
  const count = async () => void Atomics.store(blobsUsed, 0, BigInt(await measureBlobs(blobs)))
  const blobsWatch = place.in === 'bucket' ? await watchBlobs(place.bucket, log, count) : undefined
  shutdown.add(() => blobsWatch?.stop())
  // If the bucket does not answer, the service starts nevertheless. A later start erases leftovers of interrupted
  // deletions.
  if (blobsWatch?.problem() === undefined) {
    await eraseLeftovers({ store, keyRing, blobs, log })
    await count()
  }
  if (store.members !== undefined) {
    // While the bucket or the database does not answer, the last count is used.
    const counting = setInterval(() => void recountBlobs(blobs, blobsUsed).catch(() => {}), COUNT_AGAIN).unref()
    shutdown.add(() => clearInterval(counting))
  }
  return {
    store,
    keyRing,
    sealer: keyRing.main,
    disk,
    diskWatch,
    blobs,
    blobsUsed,
    blobsWatch,
    steps: createKillAt(config.killAt),
    hasTakenOver: store.hasTakenOver?.() ?? false,
    lease,
    nodes: () => nodes,
    onVisit(listener) {
      visited = listener
    },
  }
}

async function watchBlobs(bucket: Bucket, log: Logger, count: () => Promise<void>): Promise<BucketWatch> {
  const [{ bucketClient }, { watchBucket }] = await Promise.all([
    import('../storage/bucket/bucket-client.ts'),
    import('../storage/bucket/bucket-watch.ts'),
  ])
  return watchBucket({
    client: bucketClient(bucket),
    variable: 'SVC_BLOBS_URL',
    meanwhile: 'messages with media inside the request are refused, and those that wait stay in the queue',
    log,
    onBack: count,
  })
}
