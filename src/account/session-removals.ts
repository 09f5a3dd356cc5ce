/**
 * Removes the records of ended sessions. A removal that failed is retried, because the next start would restore the
 * session.
 */
import { SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { Timer } from '../storage/timer.ts'
import type { DashboardSession } from './account.ts'
import type { KeptSessions } from './session-records.ts'

const RETRY_AFTER = 10 * SECOND

/** Timer for retries. It does not keep the process alive. */
const backgroundTimer: Timer = (delayMs, run) => {
  const handle = setTimeout(run, delayMs).unref()
  return { cancel: () => clearTimeout(handle) }
}

export interface SessionRemovalsDeps {
  kept: Pick<KeptSessions, 'remove'>
  log: Log
  timer?: Timer | undefined
}

export interface SessionRemovals {
  /** Removes the record of a session. Rejects if it could not be removed now. */
  remove(hash: string, session: DashboardSession): Promise<void>
  /** The ended sessions whose records are still stored, by the hash of the cookie's value. */
  pending: ReadonlyMap<string, DashboardSession>
}

export function createSessionRemovals({ kept, log, timer = backgroundTimer }: SessionRemovalsDeps): SessionRemovals {
  const pending = new Map<string, DashboardSession>()
  let hasTimer = false

  async function remove(hash: string, session: DashboardSession): Promise<void> {
    pending.set(hash, session)
    try {
      await kept.remove(hash)
      pending.delete(hash)
    } catch (error) {
      retryLater()
      throw error
    }
  }

  function retryLater() {
    if (hasTimer) return
    hasTimer = true
    timer(RETRY_AFTER, () => {
      hasTimer = false
      Promise.all([...pending].map(([hash, session]) => remove(hash, session))).catch((err: unknown) =>
        log.error({ err, sessions: pending.size }, 'ended sessions of the dashboard still could not be removed'),
      )
    })
  }

  return { remove, pending }
}
