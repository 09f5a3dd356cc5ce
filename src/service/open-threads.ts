/**
 * Starts the threads of the service: the shard threads, in which instances will run, and those for large request
 * bodies, conversions, downloads, the webhook log and archives.
 */
import type { Config } from '../config.ts'
import { type ArchiveThreads, createArchiveThreads } from '../engine/archive-threads.ts'
import { type Conversions, createConversions } from '../engine/conversions.ts'
import { createDownloads, type Downloads } from '../engine/downloads.ts'
import type { MediaSetup } from '../engine/engine.ts'
import { createLogThreads, type LogThreads } from '../engine/log-threads.ts'
import { createMediaPool, type MediaPool } from '../engine/media-pool.ts'
import { createPooledEngine, type PooledEngine } from '../engine/pooled-engine.ts'
import type { Programs } from '../engine/programs.ts'
import type { Logger } from '../log.ts'
import type { Ledger } from '../metrics/ledger.ts'
import type { Starting } from '../starting.ts'
import { threadOf } from '../storage/disk.ts'
import { makePrivate } from '../storage/private.ts'
import { refuseConverter, warnOfNoConverter } from './converter.ts'
import { type LoadedHttp, loadHttp } from './load-http.ts'
import type { ServiceEngine } from './open-cluster-engine.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'
import { openTempFolder, tempDirOf } from './temp-folder.ts'
import type { WarmParts } from './warm-up.ts'

export interface ThreadsDeps {
  log: Logger
  shutdown: Shutdown
  storage: ServiceStorage
  starting: Starting
  searching: Promise<Programs | null>
  ledger: Ledger
  onReported(): void
  allowCrash: boolean
  warm: WarmParts | undefined
}

export interface Threads {
  engine: ServiceEngine
  media: MediaPool
  downloads: Downloads
  logThreads: LogThreads
  archives: ArchiveThreads
  hasConverter: boolean
  http: LoadedHttp
}

/** Maximum number of concurrent reads of received files; each uses at most about 1 MB. */
export const DOWNLOADS = 64

async function mediaSetup(config: Config, { blobsUsed }: ServiceStorage): Promise<MediaSetup> {
  const { blobs, blobBudgetBytes, downloadMs } = config
  if (blobs.in === 'files') await makePrivate(blobs.dir)
  return { blobs, blobBudgetBytes, blobsUsed, tempDir: tempDirOf(config), downloadMs }
}

export async function openThreads(config: Config, deps: ThreadsDeps): Promise<Threads> {
  const { log, shutdown, storage, starting } = deps
  const { logging, network, egressAllow } = config
  const storeUrl = storage.store.threadUrl
  const media = createMediaPool({ logging, log })
  shutdown.add(() => media.close())
  starting.at('ffmpeg')
  const programs = await deps.searching
  refuseConverter(programs, config)
  warnOfNoConverter(programs, config, log)
  const conversions = createConversions({ programs, conversions: config.conversions, logging, log })
  shutdown.add(() => conversions.close())
  shutdown.add(await openTempFolder(config))
  const setup = await mediaSetup(config, storage)
  starting.at('the shard threads', { isSaidElsewhere: true })
  const [engine, http] = await Promise.all([openEngine(config, deps, setup, conversions), deps.warm?.http() ?? loadHttp(config)])

  const downloads = createDownloads({ network, egressAllow, atOnce: DOWNLOADS, logging, log })
  shutdown.add(() => downloads.close())
  const logThreads = createLogThreads({ storeUrl, keyRing: storage.keyRing, log })
  shutdown.add(() => logThreads.close())
  const archives = createArchiveThreads({
    storeUrl,
    blobs: config.blobs,
    disk: storage.disk,
    logging,
    killAt: config.killAt,
    mainKey: storage.keyRing.mainKey,
    log,
  })
  shutdown.add(() => archives.close())
  return { engine, media, downloads, logThreads, archives, hasConverter: programs !== null, http }
}

async function openEngine(
  config: Config,
  { log, shutdown, storage, ledger, onReported, allowCrash, warm }: ThreadsDeps,
  media: MediaSetup,
  conversions: Conversions,
): Promise<PooledEngine> {
  const { endThreads } = storage.store
  const abandoned = new AbortController()
  let isUp = false
  const opening = createPooledEngine({
    signal: abandoned.signal,
    shards: config.shards,
    heapMb: config.shardHeapMb,
    warm: warm?.threads,
    startsPerSecond: config.startsPerSecond,
    webhookConcurrency: config.webhookConcurrency,
    storeUrl: storage.store.threadUrl,
    linksKey: storage.keyRing.links,
    mediaDays: config.mediaBucket === null ? null : config.mediaDays,
    keyOf: storage.keyRing.of,
    network: config.network,
    egressAllow: config.egressAllow,
    outboxMax: config.outboxMax,
    webVersion: config.webVersion,
    newsletterInviteQueryId: config.newsletterInviteQueryId,
    lease: storage.lease,
    media,
    disk: storage.disk,
    prepareMedia: conversions.prepare,
    endWriter: endThreads && ((shard) => endThreads(threadOf(shard))),
    onReport(shard, generation, report) {
      ledger.take(shard, generation, report)
      onReported()
    },
    logging: config.logging,
    killAt: config.killAt,
    allowCrash,
    log,
  })
  // The shutdown is registered before the threads are up, because another part of the start may fail first.
  shutdown.add((leftMs) => {
    if (!isUp) abandoned.abort()
    return opening.then(
      (engine) => engine.close(leftMs),
      () => {},
    )
  })
  const engine = await opening
  isUp = true
  return engine
}
