/**
 * The composition root: creates the parts in order and stops them in reverse order. It imports every part and decides nothing.
 *
 * An interrupted stop loses nothing, because every acknowledged message is already in storage. The order only avoids errors for callers.
 */
import { rm } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { hashOf, isSameHash } from './account/credentials.ts'
import { createDashboardSessions } from './account/dashboard-sessions.ts'
import { createStoredAccount } from './account/stored-account.ts'
import { watchClock } from './clock-watch.ts'
import type { Config } from './config.ts'
import { createInstanceDirectory } from './directory/instance-directory.ts'
import { createOrders, removeOrderAnswers } from './directory/orders.ts'
import { SECOND, steadyClock, systemClock } from './domain/clock.ts'
import type { ReceivedFile } from './domain/file-download.ts'
import type { InstanceConfig } from './domain/instance.ts'
import { isDiskFull } from './domain/storage-failure.ts'
import { parseRanges } from './egress/addresses.ts'
import { fairSlots } from './egress/fair-slots.ts'
import { checkProxy, checkUrl } from './egress/targets.ts'
import { createConversions } from './engine/conversions.ts'
import { createDownloads } from './engine/downloads.ts'
import type { MediaSetup } from './engine/engine.ts'
import { createLogThreads } from './engine/log-threads.ts'
import { createMediaPool } from './engine/media-pool.ts'
import { createPooledEngine, type PooledEngine } from './engine/pooled-engine.ts'
import { findPrograms } from './engine/programs.ts'
import { createReadings } from './engine/readings.ts'
import { createSendOutcomes } from './engine/send-outcomes.ts'
import { spareMemory } from './engine/spare-memory.ts'
import { watchHealth } from './health/health.ts'
import { createKillAt } from './kill-at.ts'
import { newUlid } from './lib/ulid.ts'
import type { Logger } from './log.ts'
import { createMediaLinks } from './media/media-links.ts'
import { createReceivedMedia } from './media/received-media.ts'
import { createExposition } from './metrics/exposition.ts'
import { createLedger } from './metrics/ledger.ts'
import { createTally } from './metrics/tally.ts'
import { createOauth } from './oauth/create.ts'
import { createDashboardFiles } from './pages/dashboard-files.ts'
import { createPages } from './pages/pages.ts'
import { createPasskeys } from './passkey/passkeys.ts'
import { listen } from './serve.ts'
import { watchStart } from './starting.ts'
import { measureBlobs } from './storage/blobs.ts'
import { refuseDamaged } from './storage/check.ts'
import { claimsOf, isFailing, noteCommit, shareDisk, watchDisk } from './storage/disk.ts'
import { endWithStore } from './storage/end-now.ts'
import { eraseLeftovers } from './storage/erase.ts'
import { checkRing, checkSecretKey, openKeyRing } from './storage/key-ring.ts'
import { openStore, storeDirOf } from './storage/open-store.ts'
import { ownStore } from './storage/owner.ts'
import { makeDataDir, makePrivate } from './storage/private.ts'
import { loadSecretKey } from './storage/secret-key.ts'
import { adoptStaged } from './storage/staged-blobs.ts'
import { createEventStreams } from './webhooks/event-streams.ts'
import { createWebhookLog } from './webhooks/webhook-log.ts'

export interface ServiceOptions {
  log: Logger
  /** Allows tests to crash a shard. */
  allowCrash?: boolean
  /** Control API of the simulated network, for the dashboard. */
  sandboxUrl?: string
}

export interface Service {
  /** Base URL for callers: `SVC_BASE_URL`, or the listening address. */
  baseUrl: string
  /** Admin key, only if this start created it; it is stored nowhere. */
  adminKey: string | null
  isAdminKey(value: string): boolean
  engine: PooledEngine
  /** Refuses new requests, lets running ones finish, closes sessions without logging out, and then storage. */
  stop(deadlineMs: number): Promise<void>
}

/** Number of concurrent reads of received files, in total and per instance; each holds about 1 MB at most. */
const DOWNLOADS = 64
const DOWNLOADS_OF_INSTANCE = 16
/**
 * Share of the stop time for running requests. The rest is for the sessions: otherwise a caller that never completes a body could use all of it, and
 * the next start would send the message in flight again.
 */
const ANSWERS_SHARE = 0.5
/** The phone has 30 s to upload a file again. */
const ASK_AGAIN = {
  kind: 'action',
  operation: 'media.askAgain',
  deadlineMs: 45 * SECOND,
  notFound: 'media_download_failed',
} as const

/** Loads zod and the declarations of all operations, a third of a start, while the shards load the library on another core. */
async function loadHttp() {
  const [{ createApp }, { createLive }] = await Promise.all([import('./http/app.ts'), import('./http/dashboard/live.ts')])
  await spareMemory()
  return { createApp, createLive }
}

const NO_CONVERTER =
  'No ffmpeg was found: audio is sent unconverted, and videos, GIFs and animated stickers that need a conversion are refused with media_invalid.'

async function mediaSetup({ dataDir, blobBudgetBytes, downloadMs }: Config, blobsDir: string): Promise<MediaSetup> {
  const blobsUsed = new BigInt64Array(new SharedArrayBuffer(8))
  blobsUsed[0] = BigInt(await measureBlobs(blobsDir))
  const tempDir = join(dataDir, 'tmp')
  // Removes temporary files that a kill left behind.
  await rm(tempDir, { recursive: true, force: true })
  for (const folder of [blobsDir, tempDir]) await makePrivate(folder)
  return { blobsDir, blobBudgetBytes, blobsUsed, tempDir, downloadMs }
}

export async function startService(config: Config, { log, allowCrash = false, sandboxUrl }: ServiceOptions): Promise<Service> {
  const clockWatch = watchClock({ log, wall: systemClock, steady: steadyClock, uptime: () => Math.round(uptime() * SECOND) })
  const { clock } = clockWatch
  /** Undone in reverse order, also if a later part does not start. Each gets the remaining time, in ms. */
  const undo: ((leftMs: number) => Promise<void>)[] = []
  let isStopping = false
  let hasEngine = false
  const starting = watchStart({ log, clock: steadyClock })

  async function stop(deadlineMs: number): Promise<void> {
    isStopping = true
    starting.end()
    clockWatch.stop()
    const endsAt = clock.now() + deadlineMs
    for (const step of undo.splice(0).reverse()) await step(Math.max(0, endsAt - clock.now()))
  }

  try {
    await makeDataDir(config.dataDir, storeDirOf(config.storeUrl))
    // Listens before all other parts, so that a used port is detected early; until the application is ready every request is answered 503.
    const server = await listen(config)
    server.explain(starting.sentence)
    undo.push(server.close)
    // The programs are run once as a check, while the store is opened.
    const searching = findPrograms({ ffmpeg: config.ffmpeg, path: config.searchPath })
    await refuseDamaged(storeDirOf(config.storeUrl), (problem) => log.warn({ problem }, 'the store could not be checked'))
    const disk = shareDisk(config.shards + 1)
    const store = await openStore(config.storeUrl, {
      claims: claimsOf(disk, 0),
      onCommit: noteCommit(disk),
      onOver: endWithStore(log),
    })
    let giveBack: (() => Promise<void>) | undefined
    undo.push(async () => {
      await store.close()
      await giveBack?.()
    })
    const secretKey = await loadSecretKey({
      secretKey: config.secretKey ?? undefined,
      file: join(config.dataDir, 'secret-key'),
      store,
    })
    await checkSecretKey(store, secretKey)
    // Until here the start has changed nothing that two services could not change at the same time.
    let visited = () => {}
    giveBack = await ownStore(store, () => visited())
    const diskWatch = await watchDisk({
      shared: disk,
      dirs: [config.dataDir, store.dir],
      reserveBytes: config.diskReserveBytes,
      hasRoom: store.hasRoom,
      log,
    })
    undo.push(async () => diskWatch.stop())
    const steps = createKillAt(config.killAt)
    const blobsDir = join(config.dataDir, 'blobs')
    const keyRing = await openKeyRing(store, secretKey)
    const sealer = keyRing.main
    await eraseLeftovers({ store, keyRing, blobsDir, log })

    starting.at('the accounts')
    const { adminKey, instanceSlots, egressAllow, webVersion, newsletterInviteQueryId } = config
    const account = createStoredAccount({ store, sealer, clock, log, adminKey, instanceSlots })
    await account.load()
    undo.push(() => account.stop())

    const oauth = createOauth({ store, sealer, clock, log, allow: parseRanges(egressAllow) })
    await oauth.load()
    undo.push(() => oauth.stop())

    const media = createMediaPool({ logging: config.logging, log })
    undo.push(() => media.close())
    starting.at('ffmpeg')
    const programs = await searching
    if (!programs && config.ffmpeg !== null && config.ffmpeg !== 'off')
      throw new Error(`SVC_FFMPEG is ${JSON.stringify(config.ffmpeg)}; it must be an ffmpeg that runs, with its ffprobe, or off.`)
    // With `off` the operator made the choice, so there is no warning.
    if (!programs && config.ffmpeg === null) log.warn({}, `${NO_CONVERTER} Install ffmpeg, or name it in SVC_FFMPEG.`)
    const conversions = createConversions({ programs, conversions: config.conversions, logging: config.logging, log })
    undo.push(() => conversions.close())
    const tally = createTally()
    const ledger = createLedger()
    const mediaOfShards = await mediaSetup(config, blobsDir)
    starting.at('the shard threads', { isSaidElsewhere: true })
    const abandoned = new AbortController()
    const threads = createPooledEngine({
      signal: abandoned.signal,
      shards: config.shards,
      heapMb: config.shardHeapMb,
      startsPerSecond: config.startsPerSecond,
      webhookConcurrency: config.webhookConcurrency,
      storeUrl: config.storeUrl,
      linksKey: keyRing.links,
      keyOf: keyRing.of,
      network: config.network,
      egressAllow,
      outboxMax: config.outboxMax,
      webVersion,
      newsletterInviteQueryId,
      media: mediaOfShards,
      disk,
      prepareMedia: conversions.prepare,
      onReport(shard, generation, report) {
        ledger.take(shard, generation, report)
        clockWatch.reported(ledger.total())
      },
      logging: config.logging,
      killAt: config.killAt,
      allowCrash,
      log,
    })
    // Registered before the shards are up, because something else may fail in the meantime. If they fail themselves there is nothing to close.
    undo.push((leftMs) => {
      if (!hasEngine) abandoned.abort()
      return threads.then(
        (engine) => engine.close(leftMs),
        () => {},
      )
    })
    const [engine, { createApp, createLive }] = await Promise.all([threads, loadHttp()])
    hasEngine = true
    starting.at('the instances')

    const eventStreams = createEventStreams({
      engine,
      onGap: () => tally.add('svc_event_stream_gaps_total', {}),
      refresh: account.refresh,
    })

    const downloads = createDownloads({
      network: config.network,
      egressAllow,
      atOnce: DOWNLOADS,
      logging: config.logging,
      log,
    })
    undo.push(() => downloads.close())

    const logThreads = createLogThreads({ storeUrl: config.storeUrl, keyRing, log })
    undo.push(() => logThreads.close())

    const allow = parseRanges(egressAllow)
    let baseUrl = config.baseUrl ?? undefined
    const directory = createInstanceDirectory({
      store,
      sealer,
      keyRing,
      steps,
      account,
      oauth,
      engine,
      clock,
      log,
      checkUrl: (url) => checkUrl(url, allow),
      checkProxy: (url) => checkProxy(url, allow),
      baseUrl: () => baseUrl,
      adoptMedia: (id) => adoptStaged(blobsDir, id, mediaOfShards.blobsUsed),
    })
    const outcomes = createSendOutcomes({ engine, directory })
    const receivedMedia = createReceivedMedia({
      links: createMediaLinks(keyRing.links),
      clock,
      openFile: downloads.open,
      slots: fairSlots({ total: DOWNLOADS, perOrigin: DOWNLOADS_OF_INSTANCE }),
      proxyOf: directory.proxyOf,
      tokenTagOf: directory.tokenTagOf,
      askAgain: (instance, file: ReceivedFile) => engine.call(instance, { ...ASK_AGAIN, input: file }),
    })
    const boot = ({ id }: InstanceConfig, started: ReturnType<PooledEngine['start']>) =>
      started.then(
        (state) => directory.observe(id, state),
        (error) => log.error({ err: error, instance: id }, 'the instance could not be started'),
      )
    const instances = await directory.load()

    const readiness = {
      isStopping: () => isStopping,
      checks: {
        database: async () => {
          await store.get('')
          return !isFailing(disk)
        },
        // Reads and opens a sealed record.
        session_store: () => checkRing(store, sealer).then(() => true),
        engine: async () => engine.isReady(),
        disk: async () => {
          await diskWatch.look()
          return diskWatch.state() === 'ok'
        },
      },
      problems: { disk: diskWatch.problem, engine: () => engine.problem() },
      media: programs ? ('ok' as const) : ('no converter' as const),
      warning: clockWatch.problem,
    }
    const { metricsToken, dashboard } = config
    const readings = createReadings(engine)
    const live = createLive({ directory, readings, onEvent: engine.onEvent, log, refresh: account.refresh, run: newUlid() })
    const health =
      dashboard === 'off'
        ? undefined
        : watchHealth({
            account,
            directory,
            readings,
            readiness,
            tally,
            ledger,
            engine,
            disk: diskWatch,
            storeDir: store.dir,
            mediaBytes: () => Number(Atomics.load(mediaOfShards.blobsUsed, 0)),
            outboxMax: config.outboxMax,
            clock,
            steady: steadyClock,
            log,
          })
    undo.push(async () => health?.stop())
    const shown =
      dashboard === 'off'
        ? undefined
        : {
            mode: dashboard,
            sessions: createDashboardSessions({ account, clock: steadyClock }),
            files: await createDashboardFiles(),
            health: health?.of,
            live,
            sandboxUrl: sandboxUrl ?? null,
          }
    const tokenHash = metricsToken === null ? undefined : hashOf(metricsToken)
    server.serve(({ peer, hasLeft, cut, source }) =>
      createApp({
        account,
        directory,
        oauth,
        hasOauth: config.mcpOauth,
        engine,
        readiness,
        receivedFile: receivedMedia.open,
        webhookLog: createWebhookLog({ reader: logThreads, engine, log }),
        readings,
        passkeys: createPasskeys({ engine, clock, steady: steadyClock }),
        eventStreams,
        clock,
        steadyClock,
        log,
        newRequestId: newUlid,
        peer,
        hasLeft,
        cut,
        source,
        tally,
        metrics: createExposition({
          tally,
          ledger,
          clock,
          instances: directory.countByStatus,
          streams: () => ({ events: eventStreams.count(), dashboard: live.count() }),
          refresh: engine.refreshReports,
        }),
        isMetricsToken: tokenHash === undefined ? undefined : (value) => isSameHash(hashOf(value), tokenHash),
        baseUrl: config.baseUrl,
        trustedProxies: config.trustedProxies,
        adminAllowedIps: config.adminAllowedIps,
        requestsPerSecond: config.requestsPerSecond,
        docs: config.docs,
        readLargeBody: media.readLargeBody,
        readLargeMessage: media.readLargeMessage,
        mcpAllowedOrigins: config.mcpAllowedOrigins,
        outcomes,
        pages: createPages({ hasDocs: config.docs, hasDashboard: dashboard !== 'off' }),
        dashboard: shown,
      }),
    )
    starting.end()
    undo.push((leftMs) => server.stop(leftMs * ANSWERS_SHARE))
    // Runs earlier in the stop: callers that wait for an outcome are told that the message is in the queue.
    undo.push(async () => outcomes.stop())
    undo.push(async () => live.stop())
    undo.push(async () => eventStreams.stop())
    baseUrl ??= server.url

    // Runs after the service listens, because events contain its address. It is not awaited: at 25 sessions per second many instances take a while,
    // and those that are up can already work.
    const bootAll = (some: readonly InstanceConfig[]) => {
      for (const instance of some) void boot(instance, engine.start({ ...instance, baseUrl }, 'boot'))
    }
    bootAll(instances)

    // Imports devices that a command left in the store, before this start or while the service runs.
    const takeImports = async () => {
      if (isStopping) return
      await directory
        .takeImports()
        .then(bootAll, (error) => log.error({ err: error }, 'imported devices could not be taken over'))
    }
    await removeOrderAnswers(store)
    const carryOutOrders = createOrders({
      store,
      engine,
      log,
      host(id) {
        const found = directory.config(id)
        return boot(found, engine.start({ ...found, baseUrl }, 'boot'))
      },
    })
    /** Processes what a command has left in the store. */
    const look = async () => {
      await takeImports()
      if (isStopping) return
      await carryOutOrders().catch((error) => log.error({ err: error }, 'requests of CLI commands could not be read'))
    }
    let looking = look()
    visited = () => {
      looking = looking.then(look)
    }
    undo.push(() => looking)

    return {
      baseUrl: config.baseUrl ?? server.url,
      // Comes last, because a start that fails has shown the key to nobody.
      adminKey: await account.firstStart(),
      isAdminKey: (value) => account.findAdmin(value) !== undefined,
      engine,
      stop,
    }
  } catch (error) {
    await stop(config.shutdownMs)
    if (!isDiskFull(error)) throw error
    throw new Error(`The disk of ${config.dataDir} is full; free some space, then start the service again.`, { cause: error })
  }
}
