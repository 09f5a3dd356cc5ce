/**
 * Sessions of the dashboard, so that a browser never stores the key. A session has two secrets: the cookie, and a proof
 * that only the page's own origin can read. Both are kept only as hashes.
 */
import { randomUUID } from 'node:crypto'
import { type Clock, HOUR, MINUTE } from '../domain/clock.ts'
import { OPENING_SCOPE } from '../domain/dashboard-rights.ts'
import type { Log } from '../domain/log.ts'
import type { Account, DashboardSession, DashboardSessions } from './account.ts'
import { hashOf, isSameHash, newSessionSecret } from './credentials.ts'
import type { HeldSession, KeptSessions } from './session-records.ts'

const SESSION_LIFE = 12 * HOUR
const SESSION_IDLE = 30 * MINUTE
/**
 * Maximum number of sessions per key. A further sign-in ends the session of the same key that was unused for the
 * longest time.
 */
const MAX_SESSIONS = 50
const MAX_AGENT = 200

/** Milliseconds after which a newer use of a session is stored, so that not every request is a commit. */
const USE_INTERVAL = MINUTE

interface Held extends HeldSession {
  /** Time of the last use that is in the stored record; `lastUsedAt` may be newer. */
  storedUse: number
}

export interface DashboardSessionsDeps {
  account: Pick<Account, 'adminKeyTag' | 'apiKey'>
  /** Must be monotonic; otherwise setting the machine's time could revive a session. */
  clock: Clock
  kept: KeptSessions
  log: Log
}

export async function createDashboardSessions({ account, clock, kept, log }: DashboardSessionsDeps): Promise<DashboardSessions> {
  /**
   * Sessions by the hash of the cookie's value. Only hashes are compared, so the duration of a comparison reveals
   * nothing.
   */
  const sessions = new Map<string, Held>()

  const keyOf = ({ workspace, keyId }: DashboardSession) => (keyId === null ? null : account.apiKey(workspace, keyId))

  function hasKey({ session, adminTag }: Held): boolean {
    const key = keyOf(session)
    return key === null
      ? adminTag !== null && account.adminKeyTag(session.workspace) === adminTag
      : key?.scopes.includes(OPENING_SCOPE) === true
  }

  function isGood(held: Held): boolean {
    const { createdAt, lastUsedAt } = held.session
    const now = clock.now()
    return now - createdAt < SESSION_LIFE && now - lastUsedAt < SESSION_IDLE && hasKey(held)
  }

  /** A record that could not be removed belongs to a session that has ended, so the next start removes it. */
  function forget(hash: string) {
    sessions.delete(hash)
    kept.remove(hash).catch((err: unknown) => log.error({ err }, 'an ended session of the dashboard could not be removed'))
  }

  function forgetEnded() {
    for (const [hash, held] of sessions) if (!isGood(held)) forget(hash)
  }

  async function load() {
    for (const [hash, held] of await kept.load()) sessions.set(hash, { ...held, storedUse: held.session.lastUsedAt })
    // If the clock was set back since the last use, nobody knows how old the session is.
    const now = clock.now()
    for (const [hash, { session }] of sessions) if (session.lastUsedAt > now) forget(hash)
    forgetEnded()
  }

  function makeRoom({ workspace, keyId }: Pick<DashboardSession, 'workspace' | 'keyId'>) {
    forgetEnded()
    const own = [...sessions].filter(([, { session }]) => session.workspace === workspace && session.keyId === keyId)
    if (own.length < MAX_SESSIONS) return
    const [oldest] = own.sort(([, a], [, b]) => a.session.lastUsedAt - b.session.lastUsedAt)
    forget(oldest![0])
  }

  function use(held: Held | undefined, isUse: boolean): DashboardSession | undefined {
    if (held === undefined || !isGood(held)) return undefined
    if (isUse) held.session.lastUsedAt = clock.now()
    return held.session
  }

  function put(hash: string, held: Held) {
    held.storedUse = held.session.lastUsedAt
    const { session, adminTag, proofHash } = held
    kept.put(hash, { session: { ...session }, adminTag, proofHash })
  }

  const byId = (id: string) => [...sessions].find(([, { session }]) => session.id === id)

  await load()
  return {
    lifeMs: SESSION_LIFE,
    idleMs: SESSION_IDLE,
    open({ workspace, keyId }, { address, userAgent }) {
      makeRoom({ workspace, keyId })
      const adminTag = keyId === null ? (account.adminKeyTag(workspace) ?? null) : null
      if (keyId === null && adminTag === null) throw new Error('a dashboard session requires a key')
      const [value, proof] = [newSessionSecret(), newSessionSecret()]
      const now = clock.now()
      const agent = userAgent?.slice(0, MAX_AGENT) ?? null
      const session = { id: randomUUID(), workspace, keyId, createdAt: now, lastUsedAt: now, address, userAgent: agent }
      const held = { session, adminTag, proofHash: hashOf(proof), storedUse: now }
      sessions.set(hashOf(value), held)
      put(hashOf(value), held)
      return { session, value, proof }
    },
    use(value, proof) {
      const hash = hashOf(value)
      const held = sessions.get(hash)
      if (held === undefined || !isSameHash(held.proofHash, hashOf(proof))) return undefined
      const session = use(held, true)
      if (session && session.lastUsedAt - held.storedUse >= USE_INTERVAL) put(hash, held)
      return session
    },
    isOpen: (session, isUse = false) => use(byId(session.id)?.[1], isUse) !== undefined,
    keyOf,
    expiresAt: ({ createdAt }) => createdAt + SESSION_LIFE,
    list(workspace) {
      forgetEnded()
      return [...sessions.values()].flatMap(({ session }) => (session.workspace === workspace ? session : [])).reverse()
    },
    async end(workspace, id) {
      const [hash, held] = byId(id) ?? []
      if (hash === undefined || held?.session.workspace !== workspace) return false
      sessions.delete(hash)
      await kept.remove(hash)
      return true
    },
  }
}
