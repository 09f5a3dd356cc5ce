/**
 * Mounts `/dashboard`: the files of the client, the sign-in, and under `/dashboard/api` the operations of the API, for
 * which the session replaces the admin key, the API key and the token of the instance. `features/dashboard.ts` declares
 * additional operations. A session of an API key may do what its row in `domain/dashboard-rights.ts` allows.
 */
import type { Context, Hono } from 'hono'
import type { DashboardSessions } from '../../account/account.ts'
import { SECOND } from '../../domain/clock.ts'
import type { DashboardMode, SignedIn, SignedOut } from '../../domain/dashboard.ts'
import { type RightName, rightOf } from '../../domain/dashboard-rights.ts'
import { Failure } from '../../domain/failures.ts'
import { hasPlan } from '../../domain/workspace.ts'
import { type Endpoint, EVENT_STREAM, isAnybodys } from '../../features/endpoint.ts'
import { dashboardEndpoints } from '../../features/index.ts'
import { HTML } from '../../features/page.ts'
import type { DashboardFiles, Parts } from '../../features/parts.ts'
import { type RequestRoute, requestRoutes, routeOf } from '../../features/requests.ts'
import type { Caller } from '../carry-out.ts'
import { TooMany } from '../errors.ts'
import { accessRequestOf, type Env, type MountDeps, mount, streamed } from '../mount.ts'
import { NO_ROUTE } from '../open-checks.ts'
import type { OpenSession } from '../session-checks.ts'
import { allowlistCheck } from './allowlist.ts'
import { answerFile, INDEX } from './files.ts'
import type { Live } from './live.ts'
import { checkAgain, checkRight, withoutSecrets } from './roles.ts'
import { checkSameOrigin } from './same-origin.ts'
import { mountSandbox } from './sandbox.ts'
import { dropCookie, infoOf, keepCookie, rowsOf, sessionOf, signInKeyOf } from './session.ts'

export interface DashboardDeps {
  mode: Exclude<DashboardMode, 'off'>
  sessions: DashboardSessions
  files: DashboardFiles
  health: Parts['health']
  live: Live
  /** Control API of the simulated network; null outside of the sandbox. */
  sandboxUrl: string | null
}

/** Seconds after which a client may request a stream again. */
const STREAMS_AGAIN = 10

const BASE = '/dashboard'
const API = `${BASE}/api`
const LIVE = `${API}/live`

/**
 * Whether the dashboard offers a route of the API. It does not offer pages, because their path contains the token of the instance, and not the event
 * stream, because the dashboard has its own stream.
 */
const isMirrored = ({ alias, endpoint: { access, contentType } }: RequestRoute) =>
  alias === undefined && !isAnybodys(access) && contentType !== HTML && contentType !== EVENT_STREAM

const pathOf = (declared: string) => API + declared.replace('/token/{token}', '')

export function mountDashboard(app: Hono<Env>, deps: MountDeps, dashboard: DashboardDeps): void {
  const { gate, parts, now, baseUrl } = deps
  const { sessions, files, mode, sandboxUrl } = dashboard
  const sessionDeps = { sessions, account: parts.account, baseUrl, hasSandbox: sandboxUrl !== null }

  /**
   * Returns the session of an API request, and applies its limits. The account is read from the store first, because a session ends when an operator
   * command replaces its key.
   */
  async function signedIn(c: Context<Env>): Promise<OpenSession> {
    await parts.account.refresh()
    return gate.session(sessionOf(c, sessions), accessRequestOf(c))
  }

  const openOf = (c: Context<Env>): OpenSession => c.get('state').session!

  /** Requires a right for all routes under a path. It is for routes that are not declared as operations. */
  function guard(path: string, right: RightName) {
    for (const each of [path, `${path}/*`])
      app.use(each, async (c, next) => {
        checkRight(openOf(c), right)
        return next()
      })
  }

  // This pattern also matches the path without a suffix.
  app.use(`${BASE}/*`, async (c, next) => {
    if (mode === 'loopback' && !gate.isOnThisMachine(accessRequestOf(c))) throw new Failure('not_found', { message: NO_ROUTE })
    // Answers contain names that strangers chose; `nosniff` prevents browsers from treating them as a page.
    c.get('state').headers['X-Content-Type-Options'] = 'nosniff'
    return next()
  })
  app.get(BASE, (c) => {
    c.get('state').route = BASE
    // The redirect is relative, because the public base may have a path.
    return new Response(null, { status: 308, headers: { Location: 'dashboard/' } })
  })

  for (const path of [`${BASE}/session`, `${API}/*`])
    app.use(path, async (c, next) => {
      checkSameOrigin(c.req.raw, { baseUrl })
      return next()
    })

  app.get(`${BASE}/session`, async (c) => {
    c.get('state').route = `${BASE}/session`
    await parts.account.refresh()
    const open = sessionOf(c, sessions)
    if (open === undefined) return c.json({ signed_in: false } satisfies SignedOut)
    gate.checkSession(open, c.get('state').source)
    return c.json(infoOf(c, open, sessionDeps))
  })

  app.post(`${BASE}/session`, async (c) => {
    c.get('state').route = `${BASE}/session`
    const given = await signInKeyOf(c.req.raw)
    await parts.account.refresh()
    const { workspace, key } = gate.signIn(given, accessRequestOf(c))
    const keyId = key?.id ?? null
    const from = { address: c.get('state').source, userAgent: c.req.header('User-Agent') ?? null }
    const { session, value, proof } = sessions.open({ workspace, keyId }, from)
    keepCookie(c, value, sessions.lifeMs / SECOND, baseUrl)
    deps.log.info({ session: session.id, workspace, api_key_id: keyId, address: from.address }, 'dashboard: signed in')
    return c.json({ ...infoOf(c, { session, key }, sessionDeps), proof } satisfies SignedIn, 201)
  })

  app.delete(`${BASE}/session`, (c) => {
    c.get('state').route = `${BASE}/session`
    const session = sessionOf(c, sessions)?.session
    if (session) sessions.end(session.workspace, session.id)
    dropCookie(c, baseUrl)
    return c.json({ value: true })
  })

  // The session is read before the routes, so that the caller is identified for every path.
  app.use(`${API}/*`, async (c, next) => {
    c.get('state').session = await signedIn(c)
    return next()
  })

  app.get(LIVE, (c) => {
    // The router also passes HEAD to this handler; it is refused, because nobody would read or end that stream.
    if (c.req.raw.method !== 'GET') return c.notFound()
    c.get('state').route = LIVE
    const open = openOf(c)
    checkRight(open, 'instances.see')
    const { session } = open
    const { source } = c.get('state')
    // The session also ends for the stream if its key has lost the right to see the instances.
    const isOpen = () => sessions.isOpen(session, true) && gate.isStillAdmitted(open, source)
    const events = dashboard.live.open(session, c.req.header('Last-Event-ID'), isOpen)
    if (!events) throw new TooMany(STREAMS_AGAIN, 'workspace')
    return streamed(events, 'dashboard', c, deps)
  })

  guard(`${API}/sandbox`, 'sandbox.use')
  if (sandboxUrl !== null) mountSandbox(app, `${API}/sandbox`, sandboxUrl, deps)

  guard(`${API}/sessions`, 'access.manage')
  app.get(`${API}/sessions`, (c) => {
    c.get('state').route = `${API}/sessions`
    return c.json({ data: rowsOf(openOf(c).session, sessions) })
  })

  app.delete(`${API}/sessions/:id`, (c) => {
    c.get('state').route = `${API}/sessions/{id}`
    const { workspace } = openOf(c).session
    if (!sessions.end(workspace, c.req.param('id'))) throw new Failure('not_found', { message: 'No session has this id.' })
    return c.json({ value: true })
  })

  function admit({ id, access, method, isWithoutPlan }: Endpoint, instance: string, c: Context<Env>): Caller {
    const open = openOf(c)
    const { workspace } = open.session
    checkRight(open, rightOf(id))
    const caller = { workspace, checkAgain: () => checkAgain(open, id, sessions) }
    if (access === 'instance') return { ...caller, instance: parts.directory.find(workspace, instance) }
    // Without a plan the owner still sees everything and can change the plan. Sessions of API keys were already checked for a plan.
    const isAccount = access !== 'admin' && method !== 'GET' && !isWithoutPlan
    if (isAccount && !hasPlan(parts.account.workspace(workspace).subscription, now())) throw new Failure('plan_required')
    return caller
  }

  const own = [...dashboardEndpoints, allowlistCheck].map(routeOf)
  const isOwn = new Set(own.map(({ name }) => name))
  const mounted: MountDeps = {
    ...deps,
    // A large body for one of the dashboard's own operations is refused, because the media thread only knows the operations of the API and none of
    // the dashboard's own operations needs a large body.
    async readLargeBody(route, fields, body, onUnknown) {
      if (!isOwn.has(route)) return deps.readLargeBody(route, fields, body, onUnknown)
      await body.batches.return?.()
      throw Failure.invalid({ path: '', message: 'must have at most 256 KB' })
    },
  }
  mount(app, [...requestRoutes.filter(isMirrored), ...own], mounted, {
    pathOf,
    admit: (endpoint, instance, _, c) => admit(endpoint, instance, c),
    // The dashboard never uses a dialect, whatever the instance uses.
    dialectOf: () => undefined,
    shown: (answer, c) => withoutSecrets(answer, openOf(c)),
  })

  app.get(`${BASE}/*`, (c) => {
    const name = c.req.path.slice(BASE.length + 1) || INDEX
    const file = files.file(name)
    if (!file) throw new Failure('not_found', { message: NO_ROUTE })
    c.get('state').route = `${BASE}/{file}`
    return answerFile(c, file, files)
  })
}
