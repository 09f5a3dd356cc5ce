/**
 * Sessions of the dashboard. The admin key is exchanged for a session, so that a browser never stores the key. A session has two secrets: the value,
 * which becomes the cookie, and the proof, which only the page's own origin can read. Sessions are only in memory, as hashes. They end with the
 * service, with the admin key that opened them, without use (an open live stream is a use), and after half a day at the latest.
 */
import { randomUUID } from 'node:crypto'
import { type Clock, HOUR, MINUTE } from '../domain/clock.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Account, DashboardSession, DashboardSessions } from './account.ts'
import { hashOf, isSameHash, newSessionSecret } from './credentials.ts'

const SESSION_LIFE = 12 * HOUR
const SESSION_IDLE = 30 * MINUTE
/** Most sessions of one workspace; when there are more, the session that was unused for longest ends. */
const MAX_SESSIONS = 50
/** Number of characters of the browser's user agent that are kept. */
const MAX_AGENT = 200

interface Held {
  session: DashboardSession
  /** Tag of the admin key that opened the session. */
  keyTag: string
  proofHash: string
}

/** `clock` must be monotonic; otherwise setting the machine's time could revive a session. */
export function createDashboardSessions({
  account,
  clock,
}: {
  account: Pick<Account, 'adminKeyTag'>
  clock: Clock
}): DashboardSessions {
  /** Sessions by the hash of the value. Only hashes are compared, so the time of a comparison reveals nothing about the secret. */
  const sessions = new Map<string, Held>()

  function isGood({ session, keyTag }: Held): boolean {
    const now = clock.now()
    return (
      now - session.createdAt < SESSION_LIFE &&
      now - session.lastUsedAt < SESSION_IDLE &&
      account.adminKeyTag(session.workspace) === keyTag
    )
  }

  function forgetEnded() {
    for (const [hash, held] of sessions) if (!isGood(held)) sessions.delete(hash)
  }

  function makeRoom(workspace: WorkspaceId) {
    forgetEnded()
    const own = [...sessions].filter(([, { session }]) => session.workspace === workspace)
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
    open(workspace, { address, userAgent }) {
      makeRoom(workspace)
      const keyTag = account.adminKeyTag(workspace)
      if (keyTag === undefined) throw new Error('a dashboard session requires an admin key')
      const [value, proof] = [newSessionSecret(), newSessionSecret()]
      const now = clock.now()
      const agent = userAgent?.slice(0, MAX_AGENT) ?? null
      const session = { id: randomUUID(), workspace, createdAt: now, lastUsedAt: now, address, userAgent: agent }
      sessions.set(hashOf(value), { session, keyTag, proofHash: hashOf(proof) })
      return { session, value, proof }
    },
    use(value, proof) {
      const held = sessions.get(hashOf(value))
      return held && isSameHash(held.proofHash, hashOf(proof)) ? use(held, true) : undefined
    },
    isOpen: (session, isUse = false) => use(byId(session.id)?.[1], isUse) !== undefined,
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
