import type { Context, Hono } from 'hono'
import type { DashboardSessions } from '../../account/account.ts'
import { lackOf, rightOf } from '../../domain/dashboard-rights.ts'
import { Failure } from '../../domain/failures.ts'
import { hasPlan } from '../../domain/workspace.ts'
import { type Endpoint, EVENT_STREAM, isAnybodys } from '../../features/endpoint.ts'
import { dashboardEndpoints } from '../../features/index.ts'
import { HTML } from '../../features/page.ts'
import { type RequestRoute, requestRoutes, routeOf } from '../../features/requests.ts'
import type { Caller } from '../carry-out.ts'
import { type Env, type MountDeps, mount } from '../mount.ts'
import type { OpenSession } from '../session-checks.ts'
import { allowlistCheck } from './allowlist.ts'
import { checkAgain, checkRight, may, withoutSecrets } from './roles.ts'
import { openOf } from './session.ts'

/**
 * True if the dashboard offers the operation. It offers no pages, because the path of a page contains the token of the
 * instance.
 */
const isMirrored = ({ alias, endpoint: { access, contentType } }: RequestRoute) =>
  alias === undefined && !isAnybodys(access) && contentType !== HTML

export function mountOperations(app: Hono<Env>, base: string, deps: MountDeps, sessions: DashboardSessions): void {
  const { parts, now } = deps

  /**
   * True if a stream may stay open. Called regularly, because the session or its key may end while the stream is open.
   */
  function isStillOpen(open: OpenSession, id: string, source: string): boolean {
    if (!sessions.isOpen(open.session, true) || !deps.gate.isStillAdmitted(open, source)) return false
    return lackOf(sessions.keyOf(open.session)?.scopes ?? null, rightOf(id)) === undefined
  }

  function admit({ id, access, method, isWithoutPlan, contentType }: Endpoint, instance: string, c: Context<Env>): Caller {
    const open = openOf(c)
    const { source } = c.get('state')
    const { workspace } = open.session
    checkRight(open, rightOf(id))
    const caller: Caller = { workspace, checkAgain: () => checkAgain(open, id, sessions), may: (right) => may(open, right) }
    if (contentType === EVENT_STREAM)
      deps.log.info({ instance_id: instance, address: source }, 'dashboard: an administrator watches the events of an instance')
    if (access === 'instance')
      return {
        ...caller,
        instance: parts.directory.find(workspace, instance),
        isStillAllowed: () => isStillOpen(open, id, source),
      }
    // Without a plan, the owner still sees everything and can change the plan.
    const isAccount = access !== 'admin' && method !== 'GET' && !isWithoutPlan
    if (isAccount && !hasPlan(parts.account.workspace(workspace).subscription, now())) throw new Failure('plan_required')
    return caller
  }

  const own = [...dashboardEndpoints, allowlistCheck].map(routeOf)
  const isOwn = new Set(own.map(({ name }) => name))
  const mounted: MountDeps = {
    ...deps,
    // The thread that parses large bodies knows only the operations of the API.
    async readLargeBody(route, fields, body, onUnknown) {
      if (!isOwn.has(route)) return deps.readLargeBody(route, fields, body, onUnknown)
      await body.batches.return?.()
      throw Failure.invalid({ path: '', message: 'must have at most 256 KB' })
    },
  }
  mount(app, [...requestRoutes.filter(isMirrored), ...own], mounted, {
    pathOf: (declared) => base + declared.replace('/token/{token}', ''),
    admit: (endpoint, instance, _, c) => admit(endpoint, instance, c),
    // The dashboard never uses a dialect, whatever the instance uses.
    dialectOf: () => undefined,
    shown: (answer, { id }, c) => withoutSecrets(answer, openOf(c), id),
  })
}
