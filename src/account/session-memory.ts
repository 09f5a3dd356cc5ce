/** The sessions of the dashboard in memory, by the hash of the cookie's value. */
import type { Clock } from '../domain/clock.ts'
import type { DashboardSession } from './account.ts'
import type { HeldSession, SessionMemory } from './session-records.ts'

export interface UsedSession extends HeldSession {
  /** Time of the last use that is in the stored record; `lastUsedAt` may be newer. */
  storedUse: number
}

export interface UsedSessions extends SessionMemory {
  get(hash: string): UsedSession | undefined
  add(hash: string, held: UsedSession): void
  byId(id: string): [hash: string, held: UsedSession] | undefined
  all(): Iterable<[hash: string, held: UsedSession]>
}

export interface SessionMemoryDeps {
  clock: Clock
  /** True if the session has ended in this service, and its record is about to be removed. */
  isEnding(hash: string): boolean
}

export function createSessionMemory({ clock, isEnding }: SessionMemoryDeps): UsedSessions {
  // Only hashes are compared, so the duration of a comparison reveals nothing.
  const sessions = new Map<string, UsedSession>()

  /**
   * Takes over a stored session. If it is already in memory, its last use there may be newer than the stored one, and
   * the newer time counts.
   */
  function put(hash: string, stored: HeldSession) {
    if (isEnding(hash)) return
    const { lastUsedAt } = stored.session
    const before = sessions.get(hash)
    if (before === undefined) sessions.set(hash, { ...stored, storedUse: lastUsedAt })
    else {
      before.session.lastUsedAt = Math.max(before.session.lastUsedAt, lastUsedAt)
      before.storedUse = Math.max(before.storedUse, lastUsedAt)
    }
  }

  /**
   * Returns the session with a last use that is not in the future. The clock of another service may be ahead, which
   * must not lengthen the session.
   */
  const notAhead = (session: DashboardSession) => ({ ...session, lastUsedAt: Math.min(session.lastUsedAt, clock.now()) })

  return {
    put,
    changed: (hash, stored) => put(hash, { ...stored, session: notAhead(stored.session) }),
    remove: (hash) => void sessions.delete(hash),
    get: (hash) => sessions.get(hash),
    add: (hash, held) => void sessions.set(hash, held),
    byId: (id) => [...sessions].find(([, { session }]) => session.id === id),
    all: () => sessions,
  }
}
