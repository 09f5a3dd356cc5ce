/**
 * Sessions of the dashboard: the page keeps the secrets of a session in the browser, and not the key. There are two
 * secrets: the cookie, and a proof that only the page's own origin can read. The service stores only their hashes.
 */
import { randomUUID } from 'node:crypto'
import { type Clock, HOUR, MINUTE } from '../domain/clock.ts'
import { OPENING_SCOPE } from '../domain/dashboard-rights.ts'
import type { Log } from '../domain/log.ts'
import type { Timer } from '../storage/timer.ts'
import type { Account, DashboardSession, DashboardSessions } from './account.ts'
import { hashOf, isSameHash, newSessionSecret } from './credentials.ts'
import { createSessionMemory, type UsedSession } from './session-memory.ts'
import type { KeptSessions } from './session-records.ts'
import { createSessionRemovals } from './session-removals.ts'

const SESSION_LIFE = 12 * HOUR
const SESSION_IDLE = 30 * MINUTE

/** True if the session has ended at `now`, in epoch ms. */
export const isOverAt = (now: number, { createdAt, lastUsedAt }: DashboardSession): boolean =>
  now - createdAt >= SESSION_LIFE || now - lastUsedAt >= SESSION_IDLE

/**
 * Maximum number of sessions per key. A further sign-in ends the session of this key that was unused for the longest
 * time.
 */
const MAX_SESSIONS = 50
const MAX_AGENT = 200

/**
 * Tolerated difference in ms between the clocks of two machines: a service on another machine may have been active
 * before this one, and its clock may be ahead.
 */
const CLOCK_DIFFERENCE = MINUTE

/** Minimum interval in ms between two stored uses of a session, so that not every request makes a commit. */
const USE_INTERVAL = MINUTE

export interface DashboardSessionsDeps {
  account: Pick<Account, 'adminKeyTag' | 'apiKey'>
  /**
   * Clock for the age of the sessions. It must be monotonic, because a change of the machine's time could otherwise
   * revive a session.
   */
  clock: Clock
  kept: KeptSessions
  log: Log
  /** Schedules the retry of a removal that failed. */
  timer?: Timer
}

export async function createDashboardSessions(deps: DashboardSessionsDeps): Promise<DashboardSessions> {
  const { account, clock, kept, log } = deps
  const removals = createSessionRemovals(deps)
  const sessions = createSessionMemory({ clock, isEnding: (hash) => removals.pending.has(hash) })

  const keyOf = ({ workspace, keyId }: DashboardSession) => (keyId === null ? null : account.apiKey(workspace, keyId))

  function hasKey({ session, adminTag }: UsedSession): boolean {
    const key = keyOf(session)
    return key === null
      ? adminTag !== null && account.adminKeyTag(session.workspace) === adminTag
      : key?.scopes.includes(OPENING_SCOPE) === true
  }

  function isGood(held: UsedSession): boolean {
    return !isOverAt(clock.now(), held.session) && hasKey(held)
  }

  async function remove(hash: string, session: DashboardSession): Promise<void> {
    sessions.remove(hash)
    await removals.remove(hash, session)
  }

  function forget(hash: string, session: DashboardSession) {
    remove(hash, session).catch((err: unknown) => log.error({ err }, 'an ended session of the dashboard could not be removed'))
  }

  function forgetEnded() {
    for (const [hash, held] of sessions.all()) if (!isGood(held)) forget(hash, held.session)
  }

  async function load() {
    await kept.load(sessions)
    const now = clock.now()
    for (const [hash, { session }] of sessions.all()) {
      // If the clock was set back since the last use, the age of the session is unknown, so the session ends.
      if (session.lastUsedAt - now > CLOCK_DIFFERENCE) forget(hash, session)
      else session.lastUsedAt = Math.min(session.lastUsedAt, now)
    }
    forgetEnded()
  }

  function makeRoom({ workspace, keyId }: Pick<DashboardSession, 'workspace' | 'keyId'>) {
    forgetEnded()
    const own = [...sessions.all()].filter(([, { session }]) => session.workspace === workspace && session.keyId === keyId)
    if (own.length < MAX_SESSIONS) return
    const [hash, { session }] = own.sort(([, a], [, b]) => a.session.lastUsedAt - b.session.lastUsedAt)[0]!
    forget(hash, session)
  }

  function put(hash: string, held: UsedSession): Promise<void> {
    held.storedUse = held.session.lastUsedAt
    return kept.put(hash, () => {
      const current = sessions.get(hash)
      return current && { session: current.session, adminTag: current.adminTag, proofHash: current.proofHash }
    })
  }

  function countUse(hash: string, held: UsedSession) {
    held.session.lastUsedAt = clock.now()
    if (held.session.lastUsedAt - held.storedUse >= USE_INTERVAL) void put(hash, held)
  }

  /**
   * Returns the session with this id. A session whose removal failed is found too, so that the caller can end it again
   * and learns when it can no longer come back.
   */
  function endable(id: string): [hash: string, session: DashboardSession] | undefined {
    const [hash, held] = sessions.byId(id) ?? []
    if (hash !== undefined && held !== undefined) return [hash, held.session]
    return [...removals.pending].find(([, session]) => session.id === id)
  }

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
      sessions.add(hashOf(value), held)
      return { session, value, proof, kept: put(hashOf(value), held) }
    },
    use(value, proof) {
      const hash = hashOf(value)
      const held = sessions.get(hash)
      if (held === undefined || !isSameHash(held.proofHash, hashOf(proof)) || !isGood(held)) return undefined
      countUse(hash, held)
      return held.session
    },
    isOpen({ id }, isUse = false) {
      const [hash, held] = sessions.byId(id) ?? []
      if (hash === undefined || held === undefined || !isGood(held)) return false
      if (isUse) countUse(hash, held)
      return true
    },
    keyOf,
    expiresAt: ({ createdAt }) => createdAt + SESSION_LIFE,
    list(workspace) {
      forgetEnded()
      return [...sessions.all()].flatMap(([, { session }]) => (session.workspace === workspace ? session : [])).reverse()
    },
    async end(workspace, id) {
      const [hash, session] = endable(id) ?? []
      if (hash === undefined || session?.workspace !== workspace) return false
      await remove(hash, session)
      return true
    },
  }
}
