import { resolve } from 'node:path'
import * as v from 'valibot'
import {
  bucketUrl,
  cidrs,
  hasCertificate,
  isBase,
  isUrl,
  isWritablePlace,
  oneOf,
  origins,
  standbyAddress,
  text,
  whole,
} from './config-values.ts'
import { ADMIN_KEY_PREFIX, BRAND } from './domain/brand.ts'
import { DASHBOARD_MODES } from './domain/dashboard.ts'
import { SECRET_KEY_FORM, secretKeyEncoding } from './domain/secret-key.ts'
import { parseStoreUrl, STORE_URLS } from './domain/store-url.ts'
import { MAX_INSTANCE_SLOTS } from './domain/workspace.ts'

const PREFIX = `${BRAND.toUpperCase()}_`

const ADMIN_KEY = new RegExp(`^${ADMIN_KEY_PREFIX}[0-9a-f]{48}$`)

const NODE_NAME = /^[\w.-]{1,63}$/

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
  SVC_CLUSTER: v.optional(oneOf('on', 'off'), 'off'),
  SVC_STANDBY_ADDRESS: v.optional(standbyAddress),
  SVC_PEER_PORT: v.optional(whole(1, 65_535)),
  SVC_NODE_NAME: v.optional(v.pipe(v.string(), v.regex(NODE_NAME, '1 to 63 letters, digits, dots, hyphens and underscores'))),
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
  /** Step at which the process ends itself with SIGKILL. Only tests set it. */
  SVC_TEST_KILL_AT: v.optional(text),
  SVC_TEST_LOG_FILE: v.optional(text),
  SVC_TEST_REQUESTS_PER_SECOND: v.optional(whole(1, 1_000_000)),
  /** `off` at the many starts of tests, where a collection of garbage only takes time. */
  SVC_TEST_SPARE_MEMORY: v.optional(oneOf('on', 'off'), 'on'),
  SVC_TEST_DOWNLOAD_MS: v.optional(whole(1, 600_000)),
})
type Variable = keyof typeof Environment.entries

/** Names of variables whose values never appear in a message. */
const SECRETS: readonly string[] = [
  'SVC_SECRET_KEY',
  'SVC_ADMIN_KEY',
  'SVC_METRICS_TOKEN',
  'SVC_LISTEN_TOKEN',
  'SVC_LISTEN_API_KEY',
  'SVC_LISTEN_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
] satisfies Variable[]

export type Variables = v.InferOutput<typeof Environment>

/**
 * Reads the variables. `unknown` has the names with our prefix that are no variables. Throws an error with one sentence
 * for each value that cannot be used.
 */
export function readVariables(env: NodeJS.ProcessEnv): { known: Variables; unknown: string[] } {
  // An empty variable counts as unset, because a compose file with `SVC_X=${SVC_X}` passes an empty value.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => (name.startsWith(PREFIX) || name in Environment.entries) && value !== ''),
  )
  const parsed = v.safeParse(Environment, given, { abortPipeEarly: true })
  if (!parsed.success) throw new Error(parsed.issues.map(sentence).join('\n'))
  const known = parsed.output
  refuseTwoPlaces(known)
  refuseUnfitServices(known)
  return { known, unknown: Object.keys(given).filter((name) => !(name in Environment.entries)) }
}

function refuseTwoPlaces({ SVC_BLOBS_DIR, SVC_BLOBS_URL }: Variables): void {
  if (SVC_BLOBS_DIR !== undefined && SVC_BLOBS_URL !== undefined)
    throw new Error('SVC_BLOBS_DIR and SVC_BLOBS_URL are both set; media of waiting messages have one place.')
}

/** True if several services can use the store. */
const isShared = ({ SVC_STORE_URL = '' }: Variables) => parseStoreUrl(SVC_STORE_URL)?.backend === 'postgres'

function refuseUnfitServices(known: Variables): void {
  const { SVC_STANDBY, SVC_CLUSTER, SVC_STANDBY_ADDRESS, SVC_PEER_PORT, SVC_PORT } = known
  const isAlone = SVC_STANDBY === 'off' && SVC_CLUSTER === 'off'
  if (isAlone && SVC_PEER_PORT !== undefined)
    throw new Error(
      'SVC_PEER_PORT is set, and neither SVC_STANDBY nor SVC_CLUSTER is "on"; only the services of a pair or a cluster connect to each other.',
    )
  if (SVC_PEER_PORT === SVC_PORT)
    throw new Error(
      `SVC_PEER_PORT and SVC_PORT are both ${SVC_PORT}; callers and the other services of the store need a port of their own each.`,
    )
  if (isAlone && SVC_STANDBY_ADDRESS !== undefined)
    throw new Error(
      'SVC_STANDBY_ADDRESS is set, and neither SVC_STANDBY nor SVC_CLUSTER is "on"; only the services of a pair or a cluster ask each other.',
    )
  if (SVC_STANDBY === 'on' && !isShared(known))
    throw new Error('SVC_STANDBY is "on"; it needs a store in PostgreSQL (SVC_STORE_URL), which two machines can use.')
  if (SVC_CLUSTER === 'on') refuseUnfitMember(known)
}

function refuseUnfitMember(known: Variables): void {
  const { SVC_STANDBY, SVC_PEER_PORT, SVC_BASE_URL } = known
  if (SVC_STANDBY === 'on')
    throw new Error('SVC_CLUSTER and SVC_STANDBY are both "on"; all services of a cluster are active, so none is a standby.')
  if (!isShared(known))
    throw new Error('SVC_CLUSTER is "on"; it needs a store in PostgreSQL (SVC_STORE_URL), which several machines can use.')
  if (SVC_PEER_PORT === undefined)
    throw new Error('SVC_CLUSTER is "on"; it needs SVC_PEER_PORT, the port at which the other members reach this one.')
  if (SVC_BASE_URL === undefined)
    throw new Error('SVC_CLUSTER is "on"; it needs SVC_BASE_URL, the address at which callers reach all members.')
}

function sentence(issue: v.BaseIssue<unknown>): string {
  const name = String(issue.path?.[0]?.key)
  const value = String(issue.input)
  // A password may contain any character, also `/` and `@`, and a URL may lack its scheme by mistake. So everything
  // between a scheme and the last `@` is hidden.
  const parts = value.split(/(?<=:\/\/)/).map((part) => part.replace(/^.*@/s, '…@'))
  const hidden = parts.join('').replace(/(password=)[^&]*/g, '$1…')
  const holds = SECRETS.includes(name) ? 'has a value that cannot be used' : `is ${JSON.stringify(hidden.slice(0, 100))}`
  return `${name} ${holds}; it must be ${issue.message}.`
}
