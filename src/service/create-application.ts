import type { Account, DashboardSession } from '../account/account.ts'
import { hashOf, isSameHash } from '../account/credentials.ts'
import { createDashboardSessions, isOverAt } from '../account/dashboard-sessions.ts'
import { keepSessions, removeSessions } from '../account/session-records.ts'
import type { ClockWatch } from '../clock-watch.ts'
import type { Config } from '../config.ts'
import { createConnectLinks } from '../connect/connect-links.ts'
import type { Directory } from '../directory/directory.ts'
import { createInstanceExport } from '../directory/instance-export.ts'
import { createInstanceImport } from '../directory/instance-import.ts'
import { createInstanceResume } from '../directory/instance-resume.ts'
import { MINUTE, SECOND, steadyClock } from '../domain/clock.ts'
import type { ReceivedFile } from '../domain/file-download.ts'
import type { Nodes } from '../domain/nodes.ts'
import type { Readings } from '../domain/readings.ts'
import { fairSlots } from '../egress/fair-slots.ts'
import { createReadings } from '../engine/readings.ts'
import { createSendOutcomes } from '../engine/send-outcomes.ts'
import type { Parts } from '../features/parts.ts'
import { watchActivity } from '../health/activity.ts'
import { watchHealth } from '../health/health.ts'
import { watchUsage } from '../health/watch-usage.ts'
import type { AppDeps } from '../http/app.ts'
import { newUlid } from '../lib/ulid.ts'
import type { Logger } from '../log.ts'
import type { MediaCopies } from '../media/copies/media-copies.ts'
import { createMediaLinks } from '../media/media-links.ts'
import { createReceivedMedia } from '../media/received-media.ts'
import { createExposition } from '../metrics/exposition.ts'
import type { Ledger } from '../metrics/ledger.ts'
import type { Tally } from '../metrics/tally.ts'
import type { Oauth } from '../oauth/oauth.ts'
import { createDashboardFiles } from '../pages/dashboard-files.ts'
import { createPages } from '../pages/pages.ts'
import { createPasskeys } from '../passkey/passkeys.ts'
import type { Listening } from '../serve.ts'
import { hasInstance } from '../storage/beside-members.ts'
import { isFailing } from '../storage/disk.ts'
import { checkRing } from '../storage/key-ring.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import { createEventStreams } from '../webhooks/event-streams.ts'
import { createWebhookLog } from '../webhooks/webhook-log.ts'
import type { Cluster } from './open-cluster.ts'
import { openCopies } from './open-copies.ts'
import type { ServiceStorage } from './open-storage.ts'
import { DOWNLOADS, type Threads } from './open-threads.ts'
import type { Shutdown } from './shutdown.ts'
import { tempDirOf } from './temp-folder.ts'

export interface ApplicationDeps {
  log: Logger
  clockWatch: ClockWatch
  shutdown: Shutdown
  storage: ServiceStorage
  main: MainRecords
  account: Account
  oauth: Oauth
  threads: Threads
  directory: Directory
  tally: Tally
  ledger: Ledger
  nodes: Nodes
  /** Undefined if this service is no member of a cluster. */
  cluster: Pick<Cluster, 'placesOf'> | undefined
  /** Number of instances that this service has and could not start. */
  notStarted(): number
  /** Id of this service in the list of services. */
  nodeId: string
  takeImports(): Promise<void>
  /** Sets the work that is done for each instance before it moves to another service. Undefined without a cluster. */
  beforeGiving: ((work: (instance: string) => Promise<unknown>) => void) | undefined
  sandboxUrl: string | null
}

export interface Application {
  make: Parameters<Listening['serve']>[0]
  /**
   * Ends the measurement of the usage, all event streams, and the waits for outcomes of sends. Running requests still
   * get an answer.
   */
  stop(): void
}

const DOWNLOADS_OF_INSTANCE = 16
/** Maximum delay in ms with which this service learns of the last use of a session from another service. */
const MAX_LAG = 10 * MINUTE
/** Call that asks the phone to upload a file again. The phone has 30 s for the upload. */
const ASK_AGAIN = {
  kind: 'action',
  operation: 'media.askAgain',
  deadlineMs: 45 * SECOND,
  notFound: 'media_download_failed',
} as const

export async function createApplication(config: Config, deps: ApplicationDeps): Promise<Application> {
  const { log, account, oauth, threads, directory, tally, ledger } = deps
  const { engine, media, logThreads, archives } = threads
  const { store, sealer, keyRing } = deps.storage
  const { clock } = deps.clockWatch
  const isHere = (instance: string) => hasInstance(store, instance)
  const eventStreams = createEventStreams({
    engine,
    onGap: () => tally.add('svc_event_stream_gaps_total', {}),
    refresh: account.refresh,
  })
  const outcomes = createSendOutcomes({ engine, directory })
  const copies = config.mediaBucket === null ? undefined : await openCopies(config, config.mediaBucket, deps)
  const receivedMedia = receivedMediaOf(deps, copies)
  const readiness = readinessOf(deps, copies)
  const readings = createReadings({ survey: engine.survey, others: engine.readings })
  const usage = watchUsage({ readings, isKnown: directory.isKnown, steady: steadyClock, log })
  const live = threads.http.createLive({
    directory,
    readings,
    onEvent: engine.onEvent,
    onKeyChange: account.onKeyChange,
    log,
    refresh: account.refresh,
    run: newUlid(),
  })
  const connectLinks = createConnectLinks({ store, main: deps.main, sealer, engine, directory, clock, log })
  await connectLinks.load()
  deps.shutdown.add(() => connectLinks.stop())
  const shared = store.members === undefined ? undefined : { main: deps.main, sealer, log }
  const passkeys = await createPasskeys({ engine, clock, steady: steadyClock, shared })
  const dashboard = await dashboardOf(config, deps, { readiness, readings, live })
  const importInstance = createInstanceImport({
    store,
    sealer,
    keyRing,
    account,
    tempDir: tempDirOf(config),
    read: archives.read,
    stage: archives.stage,
    takeImports: deps.takeImports,
    steps: deps.storage.steps,
    log,
  })
  const tokenHash = config.metricsToken === null ? undefined : hashOf(config.metricsToken)
  return {
    make: ({ peer, hasLeft, cut, source }) =>
      threads.http.createApp({
        account,
        directory,
        oauth,
        hasOauth: config.mcpOauth,
        engine,
        readiness,
        receivedFile: receivedMedia.open,
        copyOfReceivedFile: receivedMedia.copyOf,
        webhookLog: createWebhookLog({ reader: logThreads, engine, log }),
        exportInstance: createInstanceExport({
          store,
          sealer,
          keyOf: keyRing.of,
          engine,
          directory,
          clock,
          log,
          write: archives.write,
        }),
        importInstance,
        resumeInstance: createInstanceResume({ engine, steps: deps.storage.steps, log }),
        readings,
        usage,
        passkeys,
        connectLinks,
        nodes: deps.nodes,
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
          instances: () => directory.countByStatus(isHere),
          notStarted: deps.notStarted,
          streams: () => ({ events: eventStreams.count(), dashboard: live.count() }),
          nodes: deps.storage.nodes,
          homes: () => deps.cluster?.placesOf(directory.ids()),
          isPair: config.isStandby,
          refresh: engine.refreshReports,
        }),
        isMetricsToken: tokenHash === undefined ? undefined : (value) => isSameHash(hashOf(value), tokenHash),
        baseUrl: config.baseUrl,
        trustedProxies: config.trustedProxies,
        adminAllowedIps: config.adminAllowedIps,
        services: () => (store.members?.others().length ?? 0) + 1,
        shareLimit: engine.shareLimit,
        requestsPerSecond: config.requestsPerSecond,
        docs: config.docs,
        readLargeBody: media.readLargeBody,
        readLargeMessage: media.readLargeMessage,
        mcpAllowedOrigins: config.mcpAllowedOrigins,
        outcomes,
        pages: createPages({ hasDocs: config.docs, hasDashboard: dashboard !== undefined }),
        dashboard,
      }),
    stop() {
      usage.stop()
      eventStreams.stop()
      live.stop()
      outcomes.stop()
    },
  }
}

function receivedMediaOf(
  { storage, clockWatch, threads: { engine, downloads }, directory }: ApplicationDeps,
  copies: MediaCopies | undefined,
) {
  return createReceivedMedia({
    links: createMediaLinks(storage.keyRing.links),
    clock: clockWatch.clock,
    openFile: downloads.open,
    slots: fairSlots({ total: DOWNLOADS, perOrigin: DOWNLOADS_OF_INSTANCE }),
    proxyOf: directory.proxyOf,
    tokenTagOf: directory.tokenTagOf,
    linkOfCopy: copies?.linkOf,
    askAgain: (instance, file: ReceivedFile) => engine.call(instance, { ...ASK_AGAIN, input: file }),
  })
}

function readinessOf(
  { shutdown, storage, threads: { engine, hasConverter }, clockWatch }: ApplicationDeps,
  copies: MediaCopies | undefined,
): Parts['readiness'] {
  const { store, sealer, disk, diskWatch, blobsWatch } = storage
  return {
    isStopping: () => shutdown.hasBegun,
    checks: {
      database: async () => {
        await store.get(keys.owner)
        return !isFailing(disk)
      },
      // Reads and decrypts a record, which shows that the store and its keys work.
      session_store: () => checkRing(store, sealer).then(() => true),
      engine: async () => engine.isReady(),
      disk: async () => {
        await diskWatch.look()
        return diskWatch.state() === 'ok'
      },
    },
    problems: { disk: diskWatch.problem, engine: () => engine.problem() },
    media: hasConverter ? 'ok' : 'no converter',
    warning: clockWatch.problem,
    buckets: () => [blobsWatch?.problem(), copies?.problem()].flatMap((problem) => problem ?? []),
  }
}

interface DashboardParts {
  readiness: Parts['readiness']
  readings: Readings
  live: ReturnType<Threads['http']['createLive']>
}

async function dashboardOf(
  { dashboard: mode, outboxMax, nodeName }: Config,
  {
    log,
    clockWatch,
    shutdown,
    storage,
    main,
    account,
    threads,
    directory,
    tally,
    ledger,
    beforeGiving,
    nodeId,
    sandboxUrl,
  }: ApplicationDeps,
  { readiness, readings, live }: DashboardParts,
): Promise<AppDeps['dashboard']> {
  const { store, keyRing, sealer } = storage
  if (mode === 'off') {
    // `MAX_LAG` is subtracted, because another service may know a later use of the session that is not stored yet.
    const isOver = (session: DashboardSession) => isOverAt(steadyClock.now() - MAX_LAG, session)
    // A failure is only logged, because the next start tries again.
    await removeSessions({ store, main, sealer }, isOver).catch((err: unknown) =>
      log.error({ err }, 'sessions of the dashboard, which is off, could not be removed'),
    )
    return undefined
  }
  const { clock } = clockWatch
  const activity = await watchActivity({
    readings,
    directory,
    store,
    keyOf: keyRing.of,
    isHere: (instance) => hasInstance(store, instance),
    clock,
    log,
  })
  shutdown.add(activity.stop)
  beforeGiving?.(activity.store)
  const health = await watchHealth({
    account,
    directory,
    readings,
    readiness,
    tally,
    ledger,
    engine: threads.engine,
    disk: storage.diskWatch,
    store,
    hasNodes: store.nodes !== undefined,
    nodeId,
    memberName: store.members === undefined ? undefined : nodeName,
    storeBytes: store.size,
    mediaBytes: () => Number(Atomics.load(storage.blobsUsed, 0)),
    outboxMax,
    clock,
    steady: steadyClock,
    log,
  })
  shutdown.add(health.stop)
  return {
    mode,
    sessions: await createDashboardSessions({
      account,
      clock: steadyClock,
      kept: keepSessions({ main, sealer, log }),
      log,
    }),
    files: await createDashboardFiles(),
    health: health.of,
    activity: activity.of,
    live,
    sandboxUrl,
  }
}
