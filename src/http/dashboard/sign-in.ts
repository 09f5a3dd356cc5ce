import type { Hono } from 'hono'
import { SECOND } from '../../domain/clock.ts'
import type { SignedIn, SignedOut } from '../../domain/dashboard.ts'
import { orLate } from '../../lib/deadline.ts'
import { accessRequestOf, type Env, type MountDeps } from '../mount.ts'
import { dropCookie, infoOf, keepCookie, type SessionsDeps, sessionOf, signInKeyOf } from './session.ts'

/** Maximum time in ms for which the answer of a sign-in waits until the session is stored for other services. */
const KEPT_WITHIN = 2 * SECOND

export function mountSignIn(app: Hono<Env>, path: string, { gate, log }: MountDeps, sessionDeps: SessionsDeps): void {
  const { sessions, account, baseUrl } = sessionDeps

  app.get(path, async (c) => {
    c.get('state').route = path
    await account.refresh()
    const open = sessionOf(c, sessions)
    if (open === undefined) return c.json({ signed_in: false } satisfies SignedOut)
    gate.checkSession(open, c.get('state').source)
    return c.json(infoOf(c, open, sessionDeps))
  })

  app.post(path, async (c) => {
    c.get('state').route = path
    const given = await signInKeyOf(c.req.raw)
    await account.refresh()
    const { workspace, key } = gate.signIn(given, accessRequestOf(c))
    const keyId = key?.id ?? null
    const from = { address: c.get('state').source, userAgent: c.req.header('User-Agent') ?? null }
    const { session, value, proof, kept } = sessions.open({ workspace, keyId }, from)
    // The next request of the page may reach another service, which must know the session by then.
    if (account.isShared) await orLate(kept, KEPT_WITHIN, () => {})
    keepCookie(c, value, sessions.lifeMs / SECOND, baseUrl)
    log.info({ session: session.id, workspace, api_key_id: keyId, address: from.address }, 'dashboard: signed in')
    return c.json({ ...infoOf(c, { session, key }, sessionDeps), proof } satisfies SignedIn, 201)
  })

  app.delete(path, async (c) => {
    c.get('state').route = path
    const session = sessionOf(c, sessions)?.session
    dropCookie(c, baseUrl)
    // If the sign-out fails, the cookie must be removed nevertheless. Hono copies the headers of `c.res` to the error
    // answer only if `c.res` was read before the error.
    void c.res
    if (session) await sessions.end(session.workspace, session.id)
    return c.json({ value: true })
  })
}
