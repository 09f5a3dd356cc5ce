/**
 * `/connect`: the page of a connect link, and the operations with which it pairs the instance. The secret in the path
 * replaces all credentials.
 */
import type { Context, Hono } from 'hono'
import { SECOND } from '../../domain/clock.ts'
import type { ConnectLink } from '../../domain/connect-link.ts'
import { Failure } from '../../domain/failures.ts'
import type { Endpoint } from '../../features/endpoint.ts'
import { phoneCode, qrCode, restart } from '../../features/instance.ts'
import { pageResponse } from '../../features/page.ts'
import { passkey, passkeyConfirm, passkeyResponse, passkeyTicket } from '../../features/passkey.ts'
import { type RequestRoute, routeOf } from '../../features/requests.ts'
import { orLate } from '../../lib/deadline.ts'
import { createKeyCounts } from '../../lib/key-counts.ts'
import type { Caller } from '../carry-out.ts'
import { retryAfterOf, TooMany } from '../errors.ts'
import { accessRequestOf, type Env, type MountDeps, mount } from '../mount.ts'

const PAGE = '/connect/{token}'
const PATTERN = '/connect/:token'

/** Maximum size of a body in bytes. It is small, because everybody who has the address of the page may send a body. */
const MAX_BODY = 16_384

const OPERATIONS = [qrCode, phoneCode, restart, passkey, passkeyResponse, passkeyConfirm, passkeyTicket]
/**
 * Ids of the operations with a separate limit per link. One requests a pairing code; the other begins the session
 * again.
 */
const STARTS: ReadonlySet<string> = new Set([phoneCode.id, restart.id])
/** Time limit in ms for the shard thread to answer a status request. After that, the page asks again. */
const LOOK_LIMIT = 5 * SECOND

/**
 * Maximum number of concurrent requests to this service for a QR code, per link. A page makes one at a time, but may be
 * open in several tabs.
 */
export const MAX_QR_WAITS = 4
/** Seconds after which a client may repeat a refused request for a QR code. */
const QR_AGAIN = 2

const pathOf = (declared: string) => declared.replace(/^.*\{token\}/, PAGE)

function openedBy(endpoint: Endpoint): RequestRoute {
  const route = routeOf({ ...endpoint, maxBody: Math.min(endpoint.maxBody ?? MAX_BODY, MAX_BODY) })
  return { ...route, takesBody: route.takesBody && Object.keys(endpoint.fields).length > 0 }
}

const ENDED = 'This link has expired or was revoked; ask for a new one.'
const USED = 'This link was used; ask for a new one.'

export function mountConnect(app: Hono<Env>, deps: MountDeps): void {
  const { gate, parts, engine } = deps
  const { connectLinks, directory, pages } = parts

  /**
   * Returns the link with this secret. Undefined if there is none, if its instance was deleted, or if the instance
   * belongs to another workspace after an import.
   */
  function find(secret: string): ConnectLink | undefined {
    const link = connectLinks.find(secret)
    return link && directory.has(link.workspace, link.instance) ? link : undefined
  }

  /** Throws if the link is not open. `reason` in the details tells the page which text to show. */
  function checkOpen(link: ConnectLink | undefined) {
    const status = link && connectLinks.statusOf(link)
    if (status === 'paired') throw new Failure('unauthorized', { message: USED, details: { reason: 'used' } })
    if (status !== 'open') throw new Failure('unauthorized', { message: ENDED, details: { reason: 'ended' } })
  }

  function admit(endpoint: Endpoint, secret: string, c: Context<Env>): Caller {
    const start = STARTS.has(endpoint.id) ? endpoint.id : undefined
    const link = gate.connectLink(find, secret, { ...accessRequestOf(c), start })
    checkOpen(link)
    return {
      workspace: link.workspace,
      instance: link.instance,
      isStranger: true,
      checkAgain() {
        checkOpen(find(secret))
        connectLinks.begin(link)
      },
    }
  }

  app.use(`${PATTERN}/*`, async (c, next) => {
    // A link that is not in memory may have been made by another service a moment ago.
    if (connectLinks.find(c.req.param('token')) === undefined && gate.mayCatchUp(c.get('state').source))
      await parts.account.catchUp()
    return next()
  })

  app.get(PATTERN, (c) => {
    // The router also passes HEAD requests to this handler.
    if (c.req.raw.method !== 'GET') return c.notFound()
    const state = Object.assign(c.get('state'), { route: PAGE })
    const secret = c.req.param('token')
    state.refusal = (failure) => {
      const retryAfter = retryAfterOf(failure)
      if (retryAfter !== undefined) state.headers['Retry-After'] = String(retryAfter)
      return pageResponse(pages.connectRefusal(find(secret), failure), failure.status)
    }
    const link = gate.connectLink(find, secret, accessRequestOf(c))
    checkOpen(link)
    return pageResponse(pages.connect(link))
  })

  /**
   * Returns the state of the pairing, without data of the account. The shard thread is asked, because the main thread
   * does not know the state of an instance whose thread has not started yet.
   */
  app.get(`${PATTERN}/status`, async (c) => {
    if (c.req.raw.method !== 'GET') return c.notFound()
    c.get('state').route = `${PAGE}/status`
    const link = gate.connectLink(find, c.req.param('token'), accessRequestOf(c))
    if (!connectLinks.wasJustUsed(link)) checkOpen(link)
    const call = { kind: 'control', operation: 'instance.pairingState', input: {} } as const
    const patience = {
      workspace: link.workspace,
      get signal() {
        return c.req.raw.signal
      },
    }
    const { status, paired, isPaused, hasFailed } = await orLate(
      engine.call(link.instance, call, {}, patience),
      LOOK_LIMIT,
      () => {
        throw new Failure('engine_unavailable')
      },
    )
    return Response.json({ connected: status === 'connected', status, paired, paused: isPaused, pairing_failed: hasFailed })
  })

  const waits = createKeyCounts()
  app.use(`${PATTERN}/qr-code`, async (c, next) => {
    const id = find(c.req.param('token'))?.id
    if (id === undefined) return next()
    if (waits.of(id) >= MAX_QR_WAITS) throw new TooMany(QR_AGAIN, 'link')
    waits.add(id)
    try {
      await next()
    } finally {
      waits.remove(id)
    }
  })

  mount(app, OPERATIONS.map(openedBy), deps, {
    pathOf,
    admit: (endpoint, _instance, secret, c) => admit(endpoint, secret, c),
    dialectOf: () => undefined,
  })
}
