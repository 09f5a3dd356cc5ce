/**
 * Sign-in and sign-out. A key is exchanged for a cookie, which no script can read, and a proof, which only the page's
 * own origin can read.
 */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ApiKey, DashboardSession, DashboardSessions } from '../../account/account.ts'
import { BRAND, VERSION } from '../../domain/brand.ts'
import { type Clock, iso, SECOND } from '../../domain/clock.ts'
import { DASHBOARD_HEADER, type SessionInfo, type SessionKey, type SessionRow } from '../../domain/dashboard.ts'
import { Failure } from '../../domain/failures.ts'
import type { Parts } from '../../features/parts.ts'
import { receiveText } from '../body.ts'
import type { Env } from '../mount.ts'
import type { OpenSession } from '../session-checks.ts'

const COOKIE = `${BRAND}_dashboard`
/** Maximum size in bytes of the body of a sign-in. */
const MAX_SIGN_IN = 4_096

export interface SessionsDeps {
  sessions: DashboardSessions
  account: Parts['account']
  /** Public base URL; null to use the origin of each request. */
  baseUrl: string | null
  hasSandbox: boolean
}

/**
 * Returns the open session of a request, with the current state of its key. Returns undefined if the request has no
 * open session.
 */
export function sessionOf(c: Context<Env>, sessions: DashboardSessions): OpenSession | undefined {
  const value = getCookie(c, COOKIE)
  const proof = c.req.header(DASHBOARD_HEADER)
  const session = value === undefined || proof === undefined ? undefined : sessions.use(value, proof)
  const key = session && sessions.keyOf(session)
  return session === undefined || key === undefined ? undefined : { session, key }
}

export const openOf = (c: Context<Env>): OpenSession => c.get('state').session!

function scopeOf(c: Context<Env>, baseUrl: string | null) {
  const base = baseUrl === null ? undefined : new URL(baseUrl)
  const isPublic = base !== undefined && base.host === c.req.header('Host')
  const folder = isPublic ? base.pathname.replace(/\/$/, '') : ''
  // If a caller falsely claims https, the only effect is that its own browser does not send the cookie back.
  const isSecure = (isPublic && base.protocol === 'https:') || c.req.header('X-Forwarded-Proto') === 'https'
  return { path: `${folder}/dashboard`, secure: isSecure }
}

export function keepCookie(c: Context<Env>, value: string, seconds: number, baseUrl: string | null): void {
  setCookie(c, COOKIE, value, { ...scopeOf(c, baseUrl), httpOnly: true, sameSite: 'Strict', maxAge: seconds })
}

export function dropCookie(c: Context<Env>, baseUrl: string | null): void {
  deleteCookie(c, COOKIE, { ...scopeOf(c, baseUrl), httpOnly: true, sameSite: 'Strict' })
}

/**
 * Reads the key from the body of a sign-in. Throws if the body is large or slow, because the caller is not
 * authenticated yet.
 */
export async function signInKeyOf(request: Request, clock?: Clock): Promise<string> {
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
  const { key, admin_key } = (body ?? {}) as { key?: unknown; admin_key?: unknown }
  // A page that was loaded before an upgrade of the service still uses the field `admin_key`.
  const given = key ?? admin_key
  if (typeof given !== 'string') throw Failure.invalid({ path: 'key', message: 'must be a string' })
  return given.trim()
}

const shownKey = ({ id, name, hint, scopes }: ApiKey): SessionKey => ({ id, name, hint, scopes })

export function infoOf(c: Context<Env>, { session, key }: OpenSession, deps: SessionsDeps): SessionInfo {
  const { sessions, account, baseUrl } = deps
  const { id, name } = account.workspace(session.workspace)
  return {
    signed_in: true,
    id: session.id,
    expires_at: iso(sessions.expiresAt(session)),
    idle_seconds: sessions.idleMs / SECOND,
    workspace: { id, name },
    key: key && shownKey(key),
    address: c.get('state').source,
    sandbox: deps.hasSandbox && key === null,
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
    key: nameOf(sessions.keyOf(session)),
    current: session.id === current.id,
  }))
}

const nameOf = (key: ApiKey | null | undefined) => (key ? { id: key.id, name: key.name } : null)
