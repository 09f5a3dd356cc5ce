/**
 * Reads the environment into a typed Config; only `restart-frugally.ts` also reads `process.env`. An invalid variable
 * ends the start with a sentence that names it. An unknown variable is named in a warning, so that a typo is noticed.
 */
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import { blobPlace, bucketOf, type DataPlaces, sandboxed } from './config-places.ts'
import { readVariables } from './config-variables.ts'
import { MINUTE, SECOND } from './domain/clock.ts'
import type { DashboardMode } from './domain/dashboard.ts'
import type { Logging } from './domain/log.ts'
import { MB } from './domain/media.ts'
import { LOOPBACK } from './egress/addresses.ts'
import type { NetworkOptions } from './engine/engine.ts'

const DOWNLOAD_LIMIT = MINUTE

/**
 * Returns the default number of shard threads. If there are several cores, one is left for HTTP. The maximum is four.
 * Each further thread costs 30 to 80 MB.
 */
const defaultShards = () => Math.max(1, Math.min(4, availableParallelism() - 1))

export interface Config extends DataPlaces {
  host: string
  /** Port to listen on; 0 means any free port. */
  port: number
  /**
   * URL at which callers reach the service. If null, answers contain the address of the request, and events contain the
   * listening address.
   */
  baseUrl: string | null
  /** True if the start waits while another service uses the store, and then takes over. */
  isStandby: boolean
  /** True if this service uses the store at the same time as others. */
  isCluster: boolean
  /**
   * Address of this service for the other services of its store. If null, they use the address that the database sees
   * and the listening port.
   */
  standbyAddress: { host: string; port: number | undefined } | null
  /** Port of the link between the services of the store; null if there is no link. */
  peerPort: number | null
  /** Name of this service among the services of the store. */
  nodeName: string
  /** Days for which copies of received files are kept in the bucket. */
  mediaDays: number
  /** Secret key; null if it is in a file, which the first start creates. With a store in PostgreSQL it must be set. */
  secretKey: string | null
  adminKey: string | null
  /**
   * Maximum number of instances of a workspace for which the operator set no number of its own (`SVC_INSTANCE_SLOTS`).
   * If null, the service leaves the stored limits as they are.
   */
  instanceSlots: number | null
  shards: number
  shardHeapMb: number
  /** Maximum number of sessions that resume per second and network route after a start. */
  startsPerSecond: number
  webhookConcurrency: number
  network: NetworkOptions
  /**
   * CIDR ranges that may be reached although they are not public: by webhooks, media URLs, previews, proxies, and the
   * metadata documents of OAuth clients.
   */
  egressAllow: readonly string[]
  outboxMax: number
  /** Version to report to WhatsApp; null for the default of this release. */
  webVersion: readonly [number, number, number] | null
  /** Id of WhatsApp's GraphQL mutation that invites a channel administrator; null for the default of this release. */
  newsletterInviteQueryId: string | null
  /** CIDR ranges that may use `/admin`. If empty, every address may. */
  adminAllowedIps: readonly string[]
  trustedProxies: readonly string[]
  /** Origins of pages that may call `/mcp`. If null, only pages of the service's own origin may. */
  mcpAllowedOrigins: readonly string[] | null
  mcpOauth: boolean
  /** Token for the metrics. If null, callers from loopback and private addresses may read them, and nobody else. */
  metricsToken: string | null
  sandboxPort: number
  /** File for the stanzas of the sandbox, or a folder in which each start creates its own files; null for none. */
  sandboxTrace: string | null
  logging: Logging
  docs: boolean
  dashboard: DashboardMode
  /** Settings of `cli listen`, each null if it is not set. `secret` signs forwarded events. */
  listen: { url: string | null; instance: string | null; token: string | null; apiKey: string | null; secret: string | null }
  shutdownMs: number
  blobBudgetBytes: number
  /**
   * Number of free bytes on the disk below which new messages are refused. The rest is kept for messages from the
   * network.
   */
  diskReserveBytes: number
  /** Path or name of ffmpeg, or `off`. If null, it is searched on `searchPath`. */
  ffmpeg: string | null
  searchPath: string
  conversions: number
  downloadMs: number
  /** Limit of requests of one instance or workspace; null for the documented default. */
  requestsPerSecond: number | null
  killAt: string | null
  /** Whether the main thread returns unused memory to the system after its start. */
  sparesMemory: boolean
}

export interface ConfigResult {
  config: Config
  warnings: string[]
}

export function readConfig({
  sandbox = false,
  env = process.env,
  isTerminal = process.stderr.isTTY === true,
}: {
  sandbox?: boolean
  env?: NodeJS.ProcessEnv
  isTerminal?: boolean
} = {}): ConfigResult {
  const { known, unknown } = readVariables(env)
  const dataDir = resolve(known.SVC_DATA_DIR)
  const places = {
    dataDir,
    storeUrl: known.SVC_STORE_URL ?? `lmdb:${resolve(dataDir, 'state')}`,
    blobsDir: known.SVC_BLOBS_DIR === undefined ? null : resolve(known.SVC_BLOBS_DIR),
  }
  const config: Config = {
    ...places,
    isStandby: known.SVC_STANDBY === 'on',
    isCluster: known.SVC_CLUSTER === 'on',
    standbyAddress: known.SVC_STANDBY_ADDRESS ?? null,
    peerPort: known.SVC_PEER_PORT ?? null,
    nodeName: known.SVC_NODE_NAME ?? hostname(),
    blobs: blobPlace(places, bucketOf('SVC_BLOBS_URL', known)),
    mediaBucket: bucketOf('SVC_MEDIA_URL', known),
    mediaDays: known.SVC_MEDIA_DAYS,
    host: known.SVC_HOST,
    port: known.SVC_PORT,
    baseUrl: known.SVC_BASE_URL ?? null,
    keysDir: known.SVC_KEYS_DIR === undefined ? null : resolve(known.SVC_KEYS_DIR),
    secretKey: known.SVC_SECRET_KEY ?? null,
    adminKey: known.SVC_ADMIN_KEY ?? null,
    instanceSlots: known.SVC_INSTANCE_SLOTS ?? null,
    shards: known.SVC_SHARDS ?? defaultShards(),
    shardHeapMb: known.SVC_SHARD_HEAP_MB,
    startsPerSecond: known.SVC_STARTS_PER_SECOND,
    webhookConcurrency: known.SVC_WEBHOOK_CONCURRENCY,
    network: {
      url: known.SVC_NETWORK_URL ?? null,
      root: known.SVC_NETWORK_ROOT ?? null,
      ca: known.SVC_NETWORK_CA ?? null,
      mediaHost: known.SVC_NETWORK_MEDIA_HOST ?? null,
      verify: known.SVC_NETWORK_VERIFY,
    },
    // In the sandbox, webhooks may by default reach this machine, but no other non-public address.
    egressAllow: known.SVC_EGRESS_ALLOW ?? (sandbox ? LOOPBACK : []),
    outboxMax: known.SVC_OUTBOX_MAX,
    webVersion: known.SVC_WEB_VERSION ?? null,
    newsletterInviteQueryId: known.SVC_NEWSLETTER_INVITE_QUERY_ID ?? null,
    adminAllowedIps: known.SVC_ADMIN_ALLOWED_IPS ?? [],
    trustedProxies: known.SVC_TRUSTED_PROXIES ?? [],
    mcpOauth: known.SVC_MCP_OAUTH === 'on',
    mcpAllowedOrigins: known.SVC_MCP_ALLOWED_ORIGINS ?? null,
    metricsToken: known.SVC_METRICS_TOKEN ?? null,
    sandboxPort: known.SVC_SANDBOX_PORT,
    sandboxKeep: known.SVC_SANDBOX_KEEP === 'on',
    sandboxTrace: known.SVC_SANDBOX_TRACE ?? null,
    logging: {
      level: known.SVC_LOG_LEVEL,
      format: known.SVC_LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json'),
      ...(known.SVC_TEST_LOG_FILE === undefined ? {} : { file: known.SVC_TEST_LOG_FILE }),
    },
    docs: known.SVC_DOCS === 'on',
    dashboard: known.SVC_DASHBOARD,
    listen: {
      url: known.SVC_LISTEN_URL ?? null,
      instance: known.SVC_LISTEN_INSTANCE ?? null,
      token: known.SVC_LISTEN_TOKEN ?? null,
      apiKey: known.SVC_LISTEN_API_KEY ?? null,
      secret: known.SVC_LISTEN_SECRET ?? null,
    },
    shutdownMs: known.SVC_SHUTDOWN_SECONDS * SECOND,
    blobBudgetBytes: known.SVC_BLOB_BUDGET_MB * MB,
    diskReserveBytes: known.SVC_DISK_RESERVE_MB * MB,
    ffmpeg: known.SVC_FFMPEG ?? null,
    searchPath: known.PATH,
    conversions: known.SVC_CONVERSIONS,
    downloadMs: known.SVC_TEST_DOWNLOAD_MS ?? DOWNLOAD_LIMIT,
    requestsPerSecond: known.SVC_TEST_REQUESTS_PER_SECOND ?? null,
    killAt: known.SVC_TEST_KILL_AT ?? null,
    sparesMemory: known.SVC_TEST_SPARE_MEMORY === 'on',
  }
  return {
    config: sandbox ? sandboxed(config) : config,
    warnings: unknown.map((name) => `${name} is set, but no variable has this name; it is ignored.`),
  }
}
