/**
 * Sessions of the dashboard, so that a browser never stores the key. A session has two secrets: the cookie, and a proof
 * that only the page's own origin can read. Sessions are only in memory, as hashes.
 */
import { randomUUID } from 'node:crypto'
import { type Clock, HOUR, MINUTE } from '../domain/clock.ts'
import { OPENING_SCOPE } from '../domain/dashboard-rights.ts'
import type { Account, DashboardSession, DashboardSessions } from './account.ts'
import { hashOf, isSameHash, newSessionSecret } from './credentials.ts'

const SESSION_LIFE = 12 * HOUR
const SESSION_IDLE = 30 * MINUTE
/** Sessions per key. A further one ends the session of the same key that was unused for the longest time. */
const MAX_SESSIONS = 50
const MAX_AGENT = 200

interface Held {
  session: DashboardSession
  adminTag: string | undefined
  proofHash: string
}

/** `clock` must be monotonic; otherwise setting the machine's time could revive a session. */
export function createDashboardSessions({
  account,
  clock,
}: {
  account: Pick<Account, 'adminKeyTag' | 'apiKey'>
  clock: Clock
}): DashboardSessions {
  /** By the hash of the cookie's value. Only hashes are compared, so the duration of a comparison reveals nothing. */
  const sessions = new Map<string, Held>()

  const keyOf = ({ workspace, keyId }: DashboardSession) => (keyId === null ? null : account.apiKey(workspace, keyId))

  function hasKey({ session, adminTag }: Held): boolean {
    const key = keyOf(session)
    return key === null ? account.adminKeyTag(session.workspace) === adminTag : key?.scopes.includes(OPENING_SCOPE) === true
  }

  function isGood(held: Held): boolean {
    const { createdAt, lastUsedAt } = held.session
    const now = clock.now()
    return now - createdAt < SESSION_LIFE && now - lastUsedAt < SESSION_IDLE && hasKey(held)
  }

  function forgetEnded() {
    for (const [hash, held] of sessions) if (!isGood(held)) sessions.delete(hash)
  }

  function makeRoom({ workspace, keyId }: Pick<DashboardSession, 'workspace' | 'keyId'>) {
    forgetEnded()
    const own = [...sessions].filter(([, { session }]) => session.workspace === workspace && session.keyId === keyId)
    if (own.length < MAX_SESSIONS) return
    const [oldest] = own.sort(([, a], [, b]) => a.session.lastUsedAt - b.session.lastUsedAt)
    sessions.delete(oldest![0])
  }

  function use(held: Held | undefined, isUse: boolean): DashboardSession | undefined {
    if (held === undefined || !isGood(held)) return undefined
    if (isUse) held.session.lastUsedAt = clock.now()
    return held.session
  }

  const byId = (id: string) => [...sessions].find(([, { session }]) => session.id === id)

  return {
    lifeMs: SESSION_LIFE,
    idleMs: SESSION_IDLE,
    open({ workspace, keyId }, { address, userAgent }) {
      makeRoom({ workspace, keyId })
      const adminTag = keyId === null ? account.adminKeyTag(workspace) : undefined
      if (keyId === null && adminTag === undefined) throw new Error('a dashboard session requires a key')
      const [value, proof] = [newSessionSecret(), newSessionSecret()]
      const now = clock.now()
      const agent = userAgent?.slice(0, MAX_AGENT) ?? null
      const session = { id: randomUUID(), workspace, keyId, createdAt: now, lastUsedAt: now, address, userAgent: agent }
      sessions.set(hashOf(value), { session, adminTag, proofHash: hashOf(proof) })
      return { session, value, proof }
    },
    use(value, proof) {
      const held = sessions.get(hashOf(value))
      return held && isSameHash(held.proofHash, hashOf(proof)) ? use(held, true) : undefined
    },
    isOpen: (session, isUse = false) => use(byId(session.id)?.[1], isUse) !== undefined,
    keyOf,
    expiresAt: ({ createdAt }) => createdAt + SESSION_LIFE,
    list(workspace) {
      forgetEnded()
      return [...sessions.values()].flatMap(({ session }) => (session.workspace === workspace ? session : [])).reverse()
    },
    end(workspace, id) {
      const found = byId(id)
      return found !== undefined && found[1].session.workspace === workspace && sessions.delete(found[0])
    },
  }
}
