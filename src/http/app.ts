/** The HTTP application. It uses only Web standards, so that it runs wherever `fetch` handlers do. */
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import { type Clock, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { LimitShare } from '../domain/limit-share.ts'
import type { DetailedLog } from '../domain/log.ts'
import { isStorageFailure, noStorage } from '../domain/storage-failure.ts'
import { parseRanges } from '../egress/addresses.ts'
import type { Engine } from '../engine/engine.ts'
import type { SendOutcomes } from '../engine/send-outcomes.ts'
import { languageOfRequest, pageResponse, wantsPage } from '../features/page.ts'
import type { Description, Pages, Parts } from '../features/parts.ts'
import { dialectRoutes, requestRoutes } from '../features/requests.ts'
import type { Tally } from '../metrics/tally.ts'
import { type AccessChecks, createAccessChecks } from './access-checks.ts'
import { dress } from './answer-headers.ts'
import { type BodySource, discardBody } from './body.ts'
import { createBodyBudget } from './body-budget.ts'
import { mountConnect } from './connect/route.ts'
import { type DashboardDeps, mountDashboard } from './dashboard/dashboard.ts'
import { describe } from './description/openapi.ts'
import { createDialects } from './dialects.ts'
import { failureResponse, TooMany } from './errors.ts'
import { type McpDeps, mountMcp } from './mcp/route.ts'
import { type Env, type MountDeps, mount, type ReadLargeBody } from './mount.ts'
import { mountOauth } from './oauth/route.ts'
import { mountPages } from './pages.ts'
import { mountPasskey } from './passkey/route.ts'
import {
  type Buckets,
  CONNECT,
  createBuckets,
  createThrottle,
  DESCRIPTIONS,
  failuresAmong,
  OAUTH,
  sharedBuckets,
  startsAmong,
  TICKETS,
} from './rate-limit.ts'
import { requestIdOf } from './request-id.ts'
import { sourceOf, untrustedProxyWarning } from './source.ts'
import { createUnknownPath } from './unknown-path.ts'

export interface AppDeps {
  account: Account
  directory: Directory
  oauth: Parts['oauth']
  hasOauth: boolean
  engine: Pick<Engine, 'call'>
  readiness: Parts['readiness']
  receivedFile: Parts['receivedFile']
  copyOfReceivedFile: Parts['copyOfReceivedFile']
  webhookLog: Parts['webhookLog']
  exportInstance: Parts['exportInstance']
  importInstance: Parts['importInstance']
  resumeInstance: Parts['resumeInstance']
  readings: Parts['readings']
  usage: Parts['usage']
  passkeys: Parts['passkeys']
  connectLinks: Parts['connectLinks']
  nodes: Parts['nodes']
  eventStreams: Parts['eventStreams']
  clock: Clock
  steadyClock: Clock
  log: DetailedLog
  newRequestId(): string
  /** Returns the address of the peer of the socket; undefined if the request did not come over a socket. */
  peer(request: Request): string | undefined
  hasLeft(request: Request): boolean
  cut(request: Request): void
  source: BodySource
  /** Public base URL without a slash at its end; null to use the origin of each request. */
  baseUrl: string | null
  /** CIDR ranges of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  /** CIDR ranges from which `/admin` may be used. An empty list allows every address. */
  adminAllowedIps: readonly string[]
  /** If false, `/openapi.json` and `/docs` answer 404. */
  docs: boolean
  pages: Parts['pages']
  /**
   * Returns the number of services that run on the store, by default 1. The limits of wrong guesses and of the
   * operations that a connect link may begin are divided among these services.
   */
  services?: (() => number) | undefined
  /** Called with the request limit, which the services of the store count together. Undefined outside of a cluster. */
  shareLimit?: ((share: LimitShare) => void) | undefined
  /** Requests per second of one instance or workspace; null for the documented default. */
  requestsPerSecond?: number | null
  dashboard?: DashboardDeps | undefined
  tally: Tally
  metrics: Parts['metrics']
  isMetricsToken?: ((value: string) => boolean) | undefined
  readLargeBody: ReadLargeBody
  readLargeMessage: McpDeps['readLargeMessage']
  /** Origins whose pages may call `/mcp`; null for the origin of the service itself. */
  mcpAllowedOrigins: readonly string[] | null
  outcomes: SendOutcomes
}

export function createApp(deps: AppDeps): Hono<Env> {
  const { account, directory, engine, readiness, receivedFile, copyOfReceivedFile, clock, log, metrics, tally, trustedProxies } =
    deps
  const routes = deps.docs ? requestRoutes : requestRoutes.filter(({ name }) => !DOCS.has(name))
  const served = routes.filter(({ alias }) => alias === undefined).map(({ endpoint }) => endpoint)
  const unknownPath = createUnknownPath(served)
  const { requestsPerSecond: perSecond, services = () => 1 } = deps
  const limits = perSecond == null ? undefined : { capacity: 2 * perSecond, perSecond }
  const buckets = requestBuckets(createBuckets(deps.steadyClock, limits, services), deps)
  const descriptions = createBuckets(deps.steadyClock, DESCRIPTIONS)
  const tickets = createBuckets(deps.steadyClock, TICKETS)
  const apps = createBuckets(deps.steadyClock, OAUTH)
  const links = createBuckets(deps.steadyClock, CONNECT)
  const linkStarts = createBuckets(deps.steadyClock, () => startsAmong(services()))
  const throttle = createThrottle(deps.steadyClock, () => failuresAmong(services()))
  const shortSecrets = createThrottle(deps.steadyClock, () => failuresAmong(services()))
  const { adminAllowedIps, isMetricsToken } = deps
  const gate = createAccessChecks({
    account,
    directory,
    oauth: deps.hasOauth ? deps.oauth : null,
    clock,
    buckets,
    descriptions,
    tickets,
    apps,
    links,
    linkStarts,
    throttle,
    shortSecrets,
    adminAllowedIps,
    trustedProxies,
    isMetricsToken,
  })
  const parts: Parts = {
    pages: deps.pages,
    account,
    directory,
    oauth: deps.oauth,
    webhookLog: deps.webhookLog,
    exportInstance: deps.exportInstance,
    importInstance: deps.importInstance,
    resumeInstance: deps.resumeInstance,
    eventStreams: deps.eventStreams,
    readiness,
    receivedFile,
    copyOfReceivedFile,
    metrics,
    readings: deps.readings,
    usage: deps.usage,
    passkeys: deps.passkeys,
    connectLinks: deps.connectLinks,
    nodes: deps.nodes,
    health: deps.dashboard?.health,
    activity: deps.dashboard?.activity,
    description: once(() => describe(served)),
  }

  const dialects = createDialects(directory)
  const dialectOf = (c: Context<Env>) => dialects.ofRefused(c.req.path, c.req.raw.headers)
  const refused = (failure: Failure, c: Context<Env>) =>
    c.get('state').refusal?.(failure) ?? deadPairingPage(failure, c.req.raw, deps.pages) ?? failureResponse(failure, dialectOf(c))

  const app = new Hono<Env>()
  app.use(observe(deps, throttle.failed, gate.remaining))
  // The failure is returned and not thrown, because the router passes only errors of handlers to its error handler.
  app.notFound((c) => {
    const failure = unknownPath(c.req.method, c.req.path, dialectOf(c))
    return pageOfNothing(failure, c.req.raw, deps.pages) ?? refused(failure, c)
  })
  app.onError((error, c) => {
    if (error instanceof Failure) {
      if (error instanceof TooMany) tally.add('svc_rate_limited_total', { scope: error.scope })
      if (error.cause !== undefined && error.status >= 500)
        log.warn({ err: error.cause, request_id: c.get('state').requestId, code: error.code }, 'a request failed')
      return refused(error, c)
    }
    log.error({ err: error, request_id: c.get('state').requestId, route: c.get('state').route }, 'a request failed unexpectedly')
    return refused(isStorageFailure(error) ? noStorage() : new Failure('internal'), c)
  })
  const bodies = createBodyBudget()
  const carrying = { gate, parts, engine, tally, now: clock.now, baseUrl: deps.baseUrl, bodies, source: deps.source, log }
  const mounted: MountDeps = {
    ...carrying,
    readLargeBody: deps.readLargeBody,
    outcomes: deps.outcomes,
    cut: deps.cut,
    dialects,
  }
  mount(app, [...routes, ...dialectRoutes], mounted)
  const { readLargeMessage, mcpAllowedOrigins: allowedOrigins, hasOauth, oauth } = deps
  mountMcp(app, { ...carrying, readLargeMessage, allowedOrigins, hasOauth })
  if (hasOauth) mountOauth(app, { oauth, gate, parts, baseUrl: deps.baseUrl })
  mountPasskey(app, mounted)
  mountConnect(app, mounted)
  mountPages(app, deps.pages, gate)
  if (deps.dashboard) mountDashboard(app, mounted, deps.dashboard)
  return app
}

const PAIRING_PAGE = /^\/instances\/[^/]+\/token\/[^/]+\/qr-code\/page$/

/** Returns a page for a person whose pairing page no longer works, because people cannot read the JSON answer. */
function deadPairingPage({ code, status }: Failure, request: Request, pages: Pages): Response | undefined {
  const isDead = code === 'instance_not_found' && PAIRING_PAGE.test(new URL(request.url).pathname) && wantsPage(request)
  return isDead ? pageResponse(pages.pairingRefusal(languageOfRequest(request)), status) : undefined
}

/** Returns a page if a browser opened an unknown address. Programs do not ask for HTML, and get JSON. */
function pageOfNothing({ code, status }: Failure, request: Request, pages: Pages): Response | undefined {
  if (code !== 'not_found' || request.method !== 'GET' || !wantsPage(request)) return undefined
  return pageResponse(pages.unknownAddress(languageOfRequest(request), new URL(request.url).pathname), status)
}

const DOCS: ReadonlySet<string> = new Set(['system.openapi', 'system.docs'])

function once(make: () => Description): () => Description {
  let made: Description | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Metrics label of an unknown method, or of a request without a matching route. If a part of the request were the
 * label, callers could create any number of series.
 */
const OTHER = 'other'
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/**
 * Status in the metrics for a request whose caller closed the connection before the answer. nginx uses the same number.
 */
const LEFT = 499

function observe(
  { clock, log, newRequestId, peer, hasLeft, source: bodies, tally, trustedProxies }: AppDeps,
  failed: (source: string) => void,
  remaining: AccessChecks['remaining'],
): MiddlewareHandler<Env> {
  const trusted = parseRanges(trustedProxies)
  const warnOfProxy = untrustedProxyWarning(trusted, log)
  return async (c, next) => {
    const startedAt = clock.now()
    const begun = performance.now()
    const { headers } = c.req.raw
    const requestId = requestIdOf(headers.get('X-Request-Id'), newRequestId)
    const address = peer(c.req.raw)
    warnOfProxy(address, headers)
    const source = sourceOf(address, headers, trusted)
    const state: Env['Variables']['state'] = {
      requestId,
      source,
      peer: address,
      route: undefined,
      remaining: undefined,
      headers: {},
      isDressed: false,
    }
    c.set('state', state)
    await next()
    discardBody(c.req.raw, bodies)
    if (c.res.status === 401) failed(source)
    if (!state.isDressed) {
      state.remaining ??= remaining(c.req.path, headers)
      // The headers are set in place, because `c.header` copies the whole answer each time.
      dress(c.res.headers, state)
    }
    const labels = { method: METHODS.has(c.req.method) ? c.req.method : OTHER, route: state.route ?? OTHER }
    tally.add('svc_http_requests_total', { ...labels, status: String(hasLeft(c.req.raw) ? LEFT : c.res.status) })
    tally.observe('svc_http_request_duration_seconds', labels, (performance.now() - begun) / SECOND)
    log.debug(
      {
        method: c.req.method,
        path: loggedPath(c.req.path, state.route),
        route: state.route ?? null,
        status: c.res.status,
        duration_ms: clock.now() - startedAt,
        request_id: requestId,
      },
      'request',
    )
  }
}

/** Returns the route for the log, with the id of the instance. The path itself may contain a credential or a link. */
function loggedPath(path: string, route: string | undefined): string {
  if (route === undefined) return withoutSecrets(path)
  const instance = /^\/instances\/([0-9a-f-]{36})\//.exec(path)?.[1]
  return instance === undefined ? route : route.replace('{instance_id}', instance)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/**
 * Matches a word of a route. A segment of four or more letters that are all hexadecimal does not match, because it may
 * be part of a token.
 */
const WORD = /^(?![a-f]{4,}$)[a-z]+(-[a-z]+)*$/

/**
 * Returns a path that matches no route, for the log. It may contain a mistyped or truncated token, so only segments
 * that look like a word of a route or an id are kept.
 */
function withoutSecrets(path: string): string {
  if (path.startsWith('/media/')) return '/media/{link}'
  const [, ...segments] = path.slice(0, MAX_LOGGED).split('/')
  return segments
    .map((segment, index) => {
      if (segments[index - 1] === 'token') return '/{token}'
      return segment === '' || UUID.test(segment) || WORD.test(segment) ? `/${segment}` : '/{…}'
    })
    .join('')
}
const MAX_LOGGED = 512

function requestBuckets(own: Buckets, { shareLimit }: Pick<AppDeps, 'shareLimit'>): Buckets {
  if (shareLimit === undefined) return own
  const { buckets, share } = sharedBuckets(own)
  shareLimit(share)
  return buckets
}
