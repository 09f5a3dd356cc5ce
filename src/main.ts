/**
 * Creates the parts of the service in order and stops them in reverse order. An interrupted stop loses no acknowledged
 * message, because each one is already in storage.
 */
import { uptime } from 'node:os'
import { watchClock } from './clock-watch.ts'
import type { Config } from './config.ts'
import type { PausedInstances } from './directory/orders.ts'
import { SECOND, steadyClock, systemClock } from './domain/clock.ts'
import { isDiskFull } from './domain/storage-failure.ts'
import type { PooledEngine } from './engine/pooled-engine.ts'
import { findPrograms } from './engine/programs.ts'
import type { Logger } from './log.ts'
import { createLedger } from './metrics/ledger.ts'
import { createTally } from './metrics/tally.ts'
import { listen } from './serve.ts'
import { createApplication } from './service/create-application.ts'
import { claimHosted, hostInstances } from './service/host-instances.ts'
import { createInstanceStarts } from './service/instance-starts.ts'
import { createNodes, ownNode } from './service/nodes.ts'
import { openCluster } from './service/open-cluster.ts'
import { openDirectory } from './service/open-directory.ts'
import { openLink } from './service/open-link.ts'
import { openRecords } from './service/open-records.ts'
import { openStorage } from './service/open-storage.ts'
import { openThreads } from './service/open-threads.ts'
import { releaseAtStop } from './service/release-at-stop.ts'
import { createShutdown, type Shutdown } from './service/shutdown.ts'
import { standBy, type WhileStandby } from './service/stand-by.ts'
import { warmUp } from './service/warm-up.ts'
import { type Starting, watchStart } from './starting.ts'
import { backendOf } from './storage/backends.ts'
import { makeNamedFolder } from './storage/private.ts'

export interface ServiceOptions {
  log: Logger
  allowCrash?: boolean
  sandboxUrl?: string
  /**
   * Called when this process begins to wait as a standby. Without this function, a standby cannot be stopped before it
   * has taken over.
   */
  whileStandby?: WhileStandby
  /** Begins to stop this process, so that a standby takes over. Without this function, no handover can be requested. */
  stopSoon?: () => void
}

export interface Service {
  /** Value of `SVC_BASE_URL`, or the listening address. */
  baseUrl: string
  /** The admin key that this start has created; null if it has created none. */
  adminKey: string | null
  isAdminKey(value: string): boolean
  engine: PooledEngine
  /**
   * Stops the service: refuses new requests, lets running requests finish, closes sessions without logging out, and
   * then closes the storage.
   */
  stop(deadlineMs: number): Promise<void>
}

/**
 * Share of the stop time that running requests may use. Without this limit, a caller that never completes a body could
 * use all of it.
 */
const ANSWERS_SHARE = 0.5
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const { log } = options
  const clockWatch = watchClock({ log, wall: systemClock, steady: steadyClock, uptime: () => Math.round(uptime() * SECOND) })
  const shutdown = createShutdown(clockWatch.clock)
  const starting = watchStart({ log, clock: steadyClock })

  async function stop(deadlineMs: number): Promise<void> {
    starting.end()
    clockWatch.stop()
    await shutdown.run(deadlineMs)
  }

  try {
    const parts = await startParts(config, options, { clockWatch, shutdown, starting })
    return { ...parts, stop }
  } catch (error) {
    await stop(config.shutdownMs)
    if (!isDiskFull(error)) throw error
    throw new Error(`The disk of ${config.dataDir} is full; free some space, then start the service again.`, { cause: error })
  }
}

interface Run {
  clockWatch: ReturnType<typeof watchClock>
  shutdown: Shutdown
  starting: Starting
}

async function startParts(
  config: Config,
  { log, allowCrash = false, sandboxUrl, whileStandby, stopSoon }: ServiceOptions,
  { clockWatch, shutdown, starting }: Run,
): Promise<Omit<Service, 'stop'>> {
  const backend = await backendOf(config.storeUrl)
  await backend.makeFolders(config.dataDir)
  if (config.blobsDir !== null) await makeNamedFolder('SVC_BLOBS_DIR', config.blobsDir)
  if (config.keysDir !== null) await makeNamedFolder('SVC_KEYS_DIR', config.keysDir)
  // Listens before all other parts start, so that a used port is detected early. Until the application is ready,
  // requests are answered 503, except those for `/health/live` and those that a standby answers or passes on.
  const server = await listen(config)
  shutdown.add(server.close)
  const tally = createTally()
  const link = await openLink(config, { log, server, tally })
  shutdown.add(() => link?.close())
  server.explain(() => ({ ...starting.waiting(), throughActive: link?.readiness() }))
  // The search for programs runs while the store is opened, because it takes time.
  const searching = findPrograms({ ffmpeg: config.ffmpeg, path: config.searchPath })
  const warm = warmUp(config, { log, shutdown, allowCrash })
  const node = ownNode(config, server.port)
  const turn = await standBy(config, { log, backend, node, starting, server, tally, searching, link, warm, whileStandby })
  // Loading the code blocks the thread for seconds, so a member could not raise its counter in the database (its sign
  // of life), and the others would remove it. So the code is loaded before this service becomes a member.
  if (config.isCluster) await warm?.loaded
  const storage = await openStorage(config, { log, shutdown, backend, node, turn, link })

  if (storage.store.ownerId !== undefined) link?.setOwnId(storage.store.ownerId)
  starting.at('the accounts')
  const { clock } = clockWatch
  const records = await openRecords(config, { log, shutdown, storage, clock })
  const { main, account } = records

  const ledger = createLedger()
  const onReported = () => clockWatch.reported(ledger.total())
  releaseAtStop({ store: storage.store, shutdown, log })
  const ownThreads = await openThreads(config, {
    log,
    shutdown,
    storage,
    starting,
    searching,
    ledger,
    onReported,
    allowCrash,
    warm,
  })

  starting.at('the instances')
  const cluster = await openCluster(config, { log, shutdown, storage, link, local: ownThreads.engine, tally })
  const threads = { ...ownThreads, engine: cluster?.engine ?? ownThreads.engine }
  const { engine } = threads
  const baseUrl = config.baseUrl ?? server.url
  const directory = openDirectory(config, { log, storage, records, engine, cluster, baseUrl, clock })
  const stored = await directory.load()
  const here = cluster?.engine.here ?? engine
  const starts = createInstanceStarts({
    log,
    engine: here,
    mayStart: cluster?.isHere,
    // Outside of a cluster, a service that replaces another one takes over all of its instances.
    howOf: cluster?.howOf ?? (() => (storage.hasTakenOver ? 'takeover' : 'boot')),
    directory,
    shutdown,
  })
  const paused: PausedInstances = new Map()
  const hosting = cluster?.host({ main, directory, starts, isPaused: (instance) => paused.has(instance), clock })
  shutdown.add((leftMs) => hosting?.stop(leftMs))
  // Before the first request is served, this service has its share of the instances, and they wait for their start.
  await hosting?.begin()
  const hosted = hosting === undefined ? await claimHosted(storage.store.homes, stored, log) : []
  const application = await createApplication(config, {
    log,
    clockWatch,
    shutdown,
    storage,
    ...records,
    threads,
    directory,
    tally,
    ledger,
    cluster,
    notStarted: () => [...directory.ids()].filter((id) => (hosting ?? engine).failingFor(id) !== undefined).length,
    nodeId: node.id,
    nodes: createNodes({
      node,
      store: storage.store,
      link,
      isStandby: config.isStandby,
      instancesOf: (writer) => (cluster && writer ? cluster.instancesOf(writer) : [...directory.ids()].length),
      clock,
      stopSoon,
      log,
    }),
    takeImports: async () => void (await (await starts.takeImports()).booted),
    beforeGiving: hosting?.beforeGiving,
    sandboxUrl: sandboxUrl ?? null,
  })
  server.serve(application.make)
  starting.end()
  shutdown.add((leftMs) => server.stop(leftMs * ANSWERS_SHARE))
  shutdown.add(application.stop)
  shutdown.add((leftMs) => hosting?.leave(leftMs))
  const own = { call: engine.call, stop: here.stop }
  await hostInstances({ log, shutdown, storage, engine: own, isHere: cluster?.isHere, directory, starts, paused, hosted })

  return {
    baseUrl,
    // The admin key is created last. If another part of the start failed after that, a key would exist that nobody has
    // seen.
    adminKey: await account.firstStart(),
    isAdminKey: (value) => account.findAdmin(value) !== undefined,
    engine,
  }
}
