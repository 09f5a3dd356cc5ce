/**
 * Reads the environment into a typed Config; nothing else reads `process.env`. An invalid variable ends the start with a sentence that names the
 * variable, its value and the accepted values. An unknown variable is named in a warning, so that a typo does not go unnoticed.
 */
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { bucketUrl, cidrs, hasCertificate, isBase, isUrl, isWritablePlace, oneOf, origins, text, whole } from './config-values.ts'
import type { BlobPlace } from './domain/blob-place.ts'
import { ADMIN_KEY_PREFIX, BRAND } from './domain/brand.ts'
import { type Bucket, parseBucketUrl, under } from './domain/bucket.ts'
import { MINUTE, SECOND } from './domain/clock.ts'
import { DASHBOARD_MODES, type DashboardMode } from './domain/dashboard.ts'
import type { Logging } from './domain/log.ts'
import { MB } from './domain/media.ts'
import { SECRET_KEY_FORM, secretKeyEncoding } from './domain/secret-key.ts'
import { parseStoreUrl, STORE_URLS, schemaOf, withSchema } from './domain/store-url.ts'
import { MAX_INSTANCE_SLOTS } from './domain/workspace.ts'
import { LOOPBACK } from './egress/addresses.ts'
import type { NetworkOptions } from './engine/engine.ts'

const PREFIX = `${BRAND.toUpperCase()}_`

/** Time limit of a download, in ms. */
const DOWNLOAD_LIMIT = MINUTE

/**
 * Default number of shards: one core is left for HTTP, and the maximum is four. A small machine has one shard: a second
 * shard costs 30 MB without instances and about 80 MB under load, and a thread that crashes is replaced within a
 * second.
 */
const defaultShards = () => Math.max(1, Math.min(4, availableParallelism() - 1))

const ADMIN_KEY = new RegExp(`^${ADMIN_KEY_PREFIX}[0-9a-f]{48}$`)

const Environment = v.object({
  SVC_HOST: v.optional(text, '127.0.0.1'),
  SVC_PORT: v.optional(whole(0, 65_535), '8080'),
  SVC_BASE_URL: v.optional(
    v.pipe(
      v.string(),
      v.check((value) => isUrl(value, ['http:', 'https:']), 'an http or https URL'),
      v.check(isBase, 'an http or https URL without user name, password, query or fragment'),
      v.transform((value) => value.replace(/\/+$/, '')),
    ),
  ),
  SVC_DATA_DIR: v.optional(text, './data'),
  SVC_STORE_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (url) => ['lmdb', 'postgres'].includes(parseStoreUrl(url)?.backend ?? ''),
        `${STORE_URLS}, the only kinds of store that the service accepts`,
      ),
    ),
  ),
  SVC_BLOBS_DIR: v.optional(text),
  SVC_BLOBS_URL: v.optional(bucketUrl),
  SVC_MEDIA_URL: v.optional(bucketUrl),
  SVC_MEDIA_DAYS: v.optional(whole(1, 365), '30'),
  SVC_KEYS_DIR: v.optional(text),
  SVC_STANDBY: v.optional(oneOf('on', 'off'), 'off'),
  SVC_SECRET_KEY: v.optional(
    v.pipe(
      v.string(),
      v.check((key) => secretKeyEncoding(key.trim()) !== undefined, SECRET_KEY_FORM),
    ),
  ),
  SVC_ADMIN_KEY: v.optional(v.pipe(v.string(), v.regex(ADMIN_KEY, `${ADMIN_KEY_PREFIX} and 48 lower-case hexadecimal digits`))),
  SVC_INSTANCE_SLOTS: v.optional(whole(1, MAX_INSTANCE_SLOTS)),
  SVC_SHARDS: v.optional(whole(1, 64)),
  SVC_SHARD_HEAP_MB: v.optional(whole(64, 65_536), '512'),
  SVC_STARTS_PER_SECOND: v.optional(whole(1, 1_000), '25'),
  SVC_WEBHOOK_CONCURRENCY: v.optional(whole(1, 10_000), '128'),
  SVC_NETWORK_URL: v.optional(
    v.pipe(
      v.string(),
      v.check((value) => isUrl(value, ['ws:', 'wss:']), 'a ws or wss URL'),
    ),
  ),
  SVC_NETWORK_ROOT: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (value) => /^[A-Za-z0-9+/]+=*$/.test(value) && Buffer.from(value, 'base64').length === 32,
        'the base64 of a 32-byte public key',
      ),
    ),
  ),
  SVC_NETWORK_CA: v.optional(
    v.pipe(
      v.string(),
      v.check(hasCertificate, 'a PEM file that can be read, with a certificate in it'),
      v.transform((path) => resolve(path)),
    ),
  ),
  SVC_NETWORK_MEDIA_HOST: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (value) => /^[^\s/]+:\d{1,5}$/.test(value) && URL.canParse(`https://${value}`),
        'a host and a port, for example 127.0.0.1:8443',
      ),
    ),
  ),
  SVC_NETWORK_VERIFY: v.optional(oneOf('strict', 'warn'), 'strict'),
  SVC_EGRESS_ALLOW: v.optional(cidrs),
  SVC_OUTBOX_MAX: v.optional(whole(1, 10_000_000), '100000'),
  SVC_WEB_VERSION: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}\.\d{1,9}\.\d{1,10}$/, 'the version of a web client, for example 2.3000.1043857760'),
      v.transform((value) => value.split('.').map(Number) as [number, number, number]),
    ),
  ),
  SVC_NEWSLETTER_INVITE_QUERY_ID: v.optional(v.pipe(v.string(), v.regex(/^\d{1,32}$/, 'a number of up to 32 digits'))),
  SVC_ADMIN_ALLOWED_IPS: v.optional(cidrs),
  SVC_TRUSTED_PROXIES: v.optional(cidrs),
  SVC_MCP_ALLOWED_ORIGINS: v.optional(origins),
  SVC_MCP_OAUTH: v.optional(oneOf('on', 'off'), 'off'),
  SVC_METRICS_TOKEN: v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/, '1 to 200 visible ASCII characters'))),
  SVC_BLOB_BUDGET_MB: v.optional(whole(1, 10_000_000), '2048'),
  SVC_DISK_RESERVE_MB: v.optional(whole(1, 10_000_000), '256'),
  /** Path or name of the program, or `off`. */
  SVC_FFMPEG: v.optional(text),
  SVC_CONVERSIONS: v.optional(whole(1, 64), '2'),
  PATH: v.optional(v.string(), ''),
  /** Credentials and region of buckets, under the names that the tools of the cloud use. */
  AWS_ACCESS_KEY_ID: v.optional(v.string()),
  AWS_SECRET_ACCESS_KEY: v.optional(v.string()),
  AWS_SESSION_TOKEN: v.optional(v.string()),
  AWS_REGION: v.optional(v.string()),
  SVC_SANDBOX_PORT: v.optional(whole(0, 65_535), '8081'),
  SVC_SANDBOX_KEEP: v.optional(oneOf('on', 'off'), 'on'),
  SVC_SANDBOX_TRACE: v.optional(
    v.pipe(
      v.string(),
      v.check(isWritablePlace, 'a file or a folder that can be written to'),
      v.transform((path) => resolve(path)),
    ),
  ),
  SVC_LOG_LEVEL: v.optional(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info'),
  SVC_LOG_FORMAT: v.optional(oneOf('pretty', 'json')),
  SVC_LISTEN_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (value) => isUrl(value, ['http:', 'https:']) && isBase(value),
        'an http or https URL without user name, password, query or fragment',
      ),
      v.transform((value) => value.replace(/\/+$/, '')),
    ),
  ),
  SVC_LISTEN_INSTANCE: v.optional(text),
  SVC_LISTEN_TOKEN: v.optional(text),
  SVC_LISTEN_API_KEY: v.optional(text),
  SVC_LISTEN_SECRET: v.optional(text),
  SVC_DOCS: v.optional(oneOf('on', 'off'), 'on'),
  SVC_DASHBOARD: v.optional(v.picklist(DASHBOARD_MODES, 'off, loopback or on'), 'loopback'),
  SVC_SHUTDOWN_SECONDS: v.optional(whole(0, 600), '10'),
  /** Only for `test/faults`: `step` or `step:count`, at which the process ends itself with SIGKILL. */
  SVC_TEST_KILL_AT: v.optional(text),
  /** Only for tests: a file for the log, in place of standard error. */
  SVC_TEST_LOG_FILE: v.optional(text),
  /** Only for benches: number of requests that each instance may make per second. */
  SVC_TEST_REQUESTS_PER_SECOND: v.optional(whole(1, 1_000_000)),
  /** Only for tests: time limit of a download, in ms. */
  SVC_TEST_DOWNLOAD_MS: v.optional(whole(1, 600_000)),
})
type Variable = keyof typeof Environment.entries

/** Variables whose values never appear in a message. */
const SECRETS: readonly string[] = [
  'SVC_SECRET_KEY',
  'SVC_ADMIN_KEY',
  'SVC_METRICS_TOKEN',
  'SVC_LISTEN_TOKEN',
  'SVC_LISTEN_API_KEY',
  'SVC_LISTEN_SECRET',
] satisfies Variable[]

export interface Config {
  host: string
  /** Port to listen on; 0 means any free port. */
  port: number
  /** Public base of `api_url`. If null, the address of each request is used; in events, which have no request, the listening address is used. */
  baseUrl: string | null
  dataDir: string
  storeUrl: string
  /** Whether the start waits while another service uses the store, and then takes over. */
  isStandby: boolean
  /** Folders that the operator named for media of waiting messages and for keys; null if there is no such folder. */
  blobsDir: string | null
  keysDir: string | null
  /** Place of the media of waiting messages. */
  blobs: BlobPlace
  /** Bucket to which received files are copied; null for none. */
  mediaBucket: Bucket | null
  /** Time in days for which the copies in the bucket are kept. */
  mediaDays: number
  /** Key from the environment; null if the service generates one in the data folder. */
  secretKey: string | null
  adminKey: string | null
  /** Number of slots of each workspace. Null if the variable is not set; then no workspace is changed. */
  instanceSlots: number | null
  shards: number
  /** V8 heap of one shard, in MB. */
  shardHeapMb: number
  /** Sessions per second that resume after a start, per network route. */
  startsPerSecond: number
  /** Number of concurrent webhook POSTs of a shard. */
  webhookConcurrency: number
  network: NetworkOptions
  /** CIDR ranges that webhooks, media URLs, previews and proxies may reach although they are not public. */
  egressAllow: readonly string[]
  /** Number of webhook events of one instance that may wait; if there are more, the oldest are dropped. */
  outboxMax: number
  /** Web client version to report to the network; null for the version in `workers/shard/baileys/version.ts`. */
  webVersion: readonly [number, number, number] | null
  /**
   * Number of the mutation that invites a channel administrator, which changes with the builds of the web client; null
   * for the number in `workers/shard/wire/mex.ts`.
   */
  newsletterInviteQueryId: string | null
  /** CIDR ranges that may use `/admin`; if empty, every address may. */
  adminAllowedIps: readonly string[]
  trustedProxies: readonly string[]
  /** Origins of pages that may call `/mcp`; null for the origin of the service. */
  mcpAllowedOrigins: readonly string[] | null
  /** Whether OAuth apps may get access to `/mcp`. */
  mcpOauth: boolean
  /** Token for `/metrics`. If null, loopback and private addresses need no token. */
  metricsToken: string | null
  sandboxPort: number
  /** Whether the sandbox stores its phones, keys, instances and messages for its next start. */
  sandboxKeep: boolean
  /** File to which the sandbox writes every stanza, or a folder in which each start creates a file; null for none. */
  sandboxTrace: string | null
  logging: Logging
  docs: boolean
  /** Callers that may use the dashboard: nobody, callers on this machine, or everybody. */
  dashboard: DashboardMode
  /** Settings of `cli listen`: service, instance, credentials, and the secret that signs forwarded events. Null if not given. */
  listen: { url: string | null; instance: string | null; token: string | null; apiKey: string | null; secret: string | null }
  shutdownMs: number
  /** Limit in bytes of the disk space for inline media of waiting messages. */
  blobBudgetBytes: number
  /** Free bytes of disk below which new messages are refused, so that the rest is available for messages from the network. */
  diskReserveBytes: number
  /** Path of ffmpeg; null to search for it on `searchPath`. */
  ffmpeg: string | null
  searchPath: string
  /** Number of concurrent audio and video conversions. */
  conversions: number
  /** Time limit in ms of a media download by URL, from its first request to its last byte. */
  downloadMs: number
  /** Number of requests per second of an instance; null for the documented default (`http/rate-limit.ts`). */
  requestsPerSecond: number | null
  killAt: string | null
}

export interface ConfigResult {
  config: Config
  /** One sentence per unknown variable with our prefix. */
  warnings: string[]
}

export function readConfig({
  sandbox = false,
  env = process.env,
  isTerminal = process.stderr.isTTY === true,
}: {
  sandbox?: boolean
  env?: NodeJS.ProcessEnv
  /** True if the log is written to a terminal that a person reads. */
  isTerminal?: boolean
} = {}): ConfigResult {
  // An empty variable counts as unset, because a compose file with `SVC_X=${SVC_X}` passes an empty value.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => (name.startsWith(PREFIX) || name in Environment.entries) && value !== ''),
  )
  const parsed = v.safeParse(Environment, given, { abortPipeEarly: true })
  if (!parsed.success) throw new Error(parsed.issues.map(sentence).join('\n'))
  const known = parsed.output
  refuseTwoPlaces(known)
  refuseLocalStandby(known)
  const dataDir = resolve(known.SVC_DATA_DIR)
  const places = {
    dataDir,
    storeUrl: known.SVC_STORE_URL ?? `lmdb:${resolve(dataDir, 'state')}`,
    blobsDir: known.SVC_BLOBS_DIR === undefined ? null : resolve(known.SVC_BLOBS_DIR),
  }
  const config: Config = {
    ...places,
    isStandby: known.SVC_STANDBY === 'on',
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
  }
  const unknown = Object.keys(given).filter((name) => !(name in Environment.entries))
  return {
    config: sandbox ? sandboxed(config) : config,
    warnings: unknown.map((name) => `${name} is set, but no variable has this name; it is ignored.`),
  }
}

/**
 * Returns the configuration of the sandbox, which stores everything in folders of its own, even if SVC_STORE_URL names a store elsewhere. A real
 * account must never log in to the simulated network, because the network would refuse it and its credentials would then be erased. An account of the
 * simulated network must never log in to the real network.
 */
export function sandboxed(config: Config): Config {
  const dataDir = join(config.dataDir, 'sandbox')
  const [blobsDir, keysDir] = [config.blobsDir, config.keysDir].map((dir) => dir && join(dir, 'sandbox')) as (string | null)[]
  const bucket = config.blobs.in === 'bucket' ? under(config.blobs.bucket, 'sandbox') : null
  const own = { dataDir, storeUrl: sandboxUrl(config, dataDir), blobsDir: blobsDir! }
  const mediaBucket = config.mediaBucket && under(config.mediaBucket, 'sandbox')
  return { ...config, ...own, blobs: blobPlace(own, bucket), mediaBucket, keysDir: keysDir! }
}

function blobPlace(
  { blobsDir, dataDir, storeUrl }: Pick<Config, 'blobsDir' | 'dataDir' | 'storeUrl'>,
  bucket: Bucket | null,
): BlobPlace {
  if (bucket !== null) return { in: 'bucket', bucket }
  if (blobsDir !== null) return { in: 'files', dir: blobsDir }
  return parseStoreUrl(storeUrl)?.backend === 'postgres' ? { in: 'store' } : { in: 'files', dir: join(dataDir, 'blobs') }
}

/** Returns the place that the media would have if the records were in another store. */
export const blobsBeside = (config: Config, storeUrl: string): BlobPlace =>
  blobPlace({ ...config, storeUrl }, config.blobs.in === 'bucket' ? config.blobs.bucket : null)

type Known = v.InferOutput<typeof Environment>

function refuseTwoPlaces({ SVC_BLOBS_DIR, SVC_BLOBS_URL }: Known): void {
  if (SVC_BLOBS_DIR !== undefined && SVC_BLOBS_URL !== undefined)
    throw new Error('SVC_BLOBS_DIR and SVC_BLOBS_URL are both set; media of waiting messages have one place.')
}

function refuseLocalStandby({ SVC_STANDBY, SVC_STORE_URL = '' }: Known): void {
  if (SVC_STANDBY === 'on' && parseStoreUrl(SVC_STORE_URL)?.backend !== 'postgres')
    throw new Error('SVC_STANDBY is "on"; it needs a store in PostgreSQL (SVC_STORE_URL), which two machines can use.')
}

/** Returns the bucket that a variable names; null if it is not set. */
function bucketOf(variable: 'SVC_BLOBS_URL' | 'SVC_MEDIA_URL', known: Known): Bucket | null {
  const url = known[variable]
  if (url === undefined) return null
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = known
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error(`${variable} is set; it needs the credentials of the bucket in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`)
  const place = parseBucketUrl(url, known.AWS_REGION)
  if (variable === 'SVC_BLOBS_URL' && place?.publicEndpoint !== undefined)
    throw new Error(
      'SVC_BLOBS_URL has a public_endpoint; only SVC_MEDIA_URL can have one, because there are no links to the media of waiting messages.',
    )
  if (place === undefined) throw new Error(`AWS_REGION is ${JSON.stringify(known.AWS_REGION)}; it must be the name of a region.`)
  return { ...place, credentials: { accessKeyId, secretAccessKey, sessionToken } }
}

function sandboxUrl({ storeUrl, sandboxKeep, dataDir: serviceDir }: Config, dataDir: string): string {
  const store = parseStoreUrl(storeUrl)!
  if (!sandboxKeep || store.backend === 'memory') return 'memory:new'
  if (store.backend === 'postgres') return withSchema(storeUrl, `${schemaOf(storeUrl)}_sandbox`)
  return `lmdb:${resolve(store.dir) === join(serviceDir, 'state') ? join(dataDir, 'state') : join(store.dir, 'sandbox')}`
}

function sentence(issue: v.BaseIssue<unknown>): string {
  const name = String(issue.path?.[0]?.key)
  const value = String(issue.input)
  const hidden = value.replace(/\/\/[^/]*@/, '//…@').replace(/(password=)[^&]*/g, '$1…')
  const holds = SECRETS.includes(name) ? 'has a value that cannot be used' : `is ${JSON.stringify(hidden.slice(0, 100))}`
  return `${name} ${holds}; it must be ${issue.message}.`
}
