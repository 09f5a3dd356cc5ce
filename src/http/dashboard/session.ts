/**
 * Sign-in and sign-out. The admin key is exchanged for a cookie, which no script can read and no other site can send, and a proof, which only the
 * page's own origin can read. A signed-in request has both.
 */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { DashboardSession, DashboardSessions } from '../../account/account.ts'
import { BRAND, VERSION } from '../../domain/brand.ts'
import { type Clock, iso, SECOND } from '../../domain/clock.ts'
import { DASHBOARD_HEADER, type SessionInfo, type SessionRow } from '../../domain/dashboard.ts'
import { Failure } from '../../domain/failures.ts'
import type { Parts } from '../../features/parts.ts'
import { receiveText } from '../body.ts'
import type { Env } from '../mount.ts'

const COOKIE = `${BRAND}_dashboard`
/** Size limit of a sign-in body in bytes; a key has 58 characters. */
const MAX_SIGN_IN = 4_096

export interface SessionsDeps {
  sessions: DashboardSessions
  account: Parts['account']
  /** Public base URL of the service; null if the origin of each request is used. */
  baseUrl: string | null
  hasSandbox: boolean
}

export const sessionOf = (c: Context<Env>, sessions: DashboardSessions): DashboardSession | undefined => {
  const value = getCookie(c, COOKIE)
  const proof = c.req.header(DASHBOARD_HEADER)
  return value === undefined || proof === undefined ? undefined : sessions.use(value, proof)
}

/** Returns the scope of the cookie, which is limited to the path of the public base. */
function scopeOf(c: Context<Env>, baseUrl: string | null) {
  const base = baseUrl === null ? undefined : new URL(baseUrl)
  const isPublic = base !== undefined && base.host === c.req.header('Host')
  const folder = isPublic ? base.pathname.replace(/\/$/, '') : ''
  // A caller that falsely claims https gets a cookie that its browser does not send back, which harms nobody else.
  const isSecure = (isPublic && base.protocol === 'https:') || c.req.header('X-Forwarded-Proto') === 'https'
  return { path: `${folder}/dashboard`, secure: isSecure }
}

export function keepCookie(c: Context<Env>, value: string, seconds: number, baseUrl: string | null): void {
  setCookie(c, COOKIE, value, { ...scopeOf(c, baseUrl), httpOnly: true, sameSite: 'Strict', maxAge: seconds })
}

export function dropCookie(c: Context<Env>, baseUrl: string | null): void {
  deleteCookie(c, COOKIE, { ...scopeOf(c, baseUrl), httpOnly: true, sameSite: 'Strict' })
}

/** Reads the admin key of a sign-in. The caller is not authenticated yet, so a body that is large or slow is not read. */
export async function adminKeyOf(request: Request, clock?: Clock): Promise<string> {
  const tooLong = () => Failure.invalid({ path: '', message: `must have a Content-Length of at most ${MAX_SIGN_IN} bytes` })
  const size = Number(request.headers.get('Content-Length') ?? Number.NaN)
  if (!(size <= MAX_SIGN_IN)) throw tooLong()
  const text = await receiveText(request, { most: MAX_SIGN_IN, tooLong, clock })
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw Failure.invalid({ path: '', message: 'must be a JSON object' })
  }
  const key = (body as { admin_key?: unknown } | null)?.admin_key
  if (typeof key !== 'string') throw Failure.invalid({ path: 'admin_key', message: 'must be a string' })
  return key.trim()
}

export function infoOf(c: Context<Env>, session: DashboardSession, deps: SessionsDeps): SessionInfo {
  const { sessions, account, baseUrl } = deps
  const { id, name } = account.workspace(session.workspace)
  return {
    signed_in: true,
    id: session.id,
    expires_at: iso(sessions.expiresAt(session)),
    idle_seconds: sessions.idleMs / SECOND,
    workspace: { id, name },
    address: c.get('state').source,
    sandbox: deps.hasSandbox,
    version: VERSION,
    base_url: baseUrl ?? new URL(c.req.url).origin,
    admin_key_from_environment: account.hasGivenAdminKey(session.workspace),
  }
}

export function rowsOf(current: DashboardSession, sessions: DashboardSessions): SessionRow[] {
  return sessions.list(current.workspace).map((session) => ({
    id: session.id,
    created_at: iso(session.createdAt),
    last_used_at: iso(session.lastUsedAt),
    expires_at: iso(Math.min(sessions.expiresAt(session), session.lastUsedAt + sessions.idleMs)),
    address: session.address,
    user_agent: session.userAgent,
    current: session.id === current.id,
  }))
}
