/**
 * `/dashboard`: the files of the client, the sign-in, and under `/dashboard/api` the operations of the API, for which
 * the session replaces all keys and tokens.
 */
import type { Context, Hono } from 'hono'
import type { DashboardSessions } from '../../account/account.ts'
import type { DashboardMode } from '../../domain/dashboard.ts'
import type { RightName } from '../../domain/dashboard-rights.ts'
import { Failure } from '../../domain/failures.ts'
import type { DashboardFiles, Parts } from '../../features/parts.ts'
import { NO_ROUTE, TooMany } from '../errors.ts'
import { accessRequestOf, type Env, type MountDeps, streamed } from '../mount.ts'
import type { OpenSession } from '../session-checks.ts'
import { answerFile, INDEX } from './files.ts'
import type { Live } from './live.ts'
import { mountOperations } from './operations.ts'
import { checkRight } from './roles.ts'
import { checkSameOrigin } from './same-origin.ts'
import { mountSandbox } from './sandbox.ts'
import { openOf, sessionOf } from './session.ts'
import { mountSessions } from './sessions.ts'
import { mountSignIn } from './sign-in.ts'

export interface DashboardDeps {
  mode: Exclude<DashboardMode, 'off'>
  sessions: DashboardSessions
  files: DashboardFiles
  health: Parts['health']
  activity: Parts['activity']
  live: Live
  /** URL that controls the sandbox; null outside of the sandbox. */
  sandboxUrl: string | null
}

/** Seconds after which a session with too many streams may request another one. */
const STREAMS_AGAIN = 10

const BASE = '/dashboard'
const API = `${BASE}/api`
const LIVE = `${API}/live`

export function mountDashboard(app: Hono<Env>, deps: MountDeps, dashboard: DashboardDeps): void {
  const { gate, parts, baseUrl } = deps
  const { sessions, files, mode, sandboxUrl } = dashboard
  const sessionDeps = { sessions, account: parts.account, baseUrl, hasSandbox: sandboxUrl !== null }

  /**
   * Returns the open session of a request. The account is read from the store first, because a session ends when an
   * operator command replaces its key.
   */
  async function signedIn(c: Context<Env>): Promise<OpenSession> {
    await parts.account.refresh()
    return gate.session(sessionOf(c, sessions), accessRequestOf(c))
  }

  function guard(path: string, right: RightName) {
    for (const each of [path, `${path}/*`])
      app.use(each, async (c, next) => {
        checkRight(openOf(c), right)
        return next()
      })
  }

  // The pattern `/*` also matches the path without a suffix.
  app.use(`${BASE}/*`, async (c, next) => {
    if (mode === 'loopback' && !gate.isOnThisMachine(accessRequestOf(c))) throw new Failure('not_found', { message: NO_ROUTE })
    // Answers contain names that other people chose; `nosniff` prevents browsers from treating them as a page.
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

  mountSignIn(app, `${BASE}/session`, deps, sessionDeps)

  // The session is checked before any route, also for a path that does not exist.
  app.use(`${API}/*`, async (c, next) => {
    c.get('state').session = await signedIn(c)
    return next()
  })

  app.get(LIVE, (c) => {
    // The router also passes HEAD to this handler, but nobody would read or end that stream.
    if (c.req.raw.method !== 'GET') return c.notFound()
    c.get('state').route = LIVE
    const open = openOf(c)
    checkRight(open, 'instances.see')
    const { session } = open
    const { source } = c.get('state')
    // The stream also ends if the key has lost the right to see the instances.
    const isOpen = () => sessions.isOpen(session, true) && gate.isStillAdmitted(open, source)
    const events = dashboard.live.open(session, c.req.header('Last-Event-ID'), isOpen)
    if (!events) throw new TooMany(STREAMS_AGAIN, 'workspace')
    return streamed(events, 'dashboard', c, deps)
  })

  guard(`${API}/sandbox`, 'sandbox.use')
  if (sandboxUrl !== null) mountSandbox(app, `${API}/sandbox`, sandboxUrl, deps)

  guard(`${API}/sessions`, 'access.manage')
  mountSessions(app, `${API}/sessions`, sessions)
  mountOperations(app, API, deps, sessions)

  app.get(`${BASE}/*`, (c) => {
    const name = c.req.path.slice(BASE.length + 1) || INDEX
    const file = files.file(name)
    if (!file) throw new Failure('not_found', { message: NO_ROUTE })
    c.get('state').route = `${BASE}/{file}`
    return answerFile(c, file, files)
  })
}
