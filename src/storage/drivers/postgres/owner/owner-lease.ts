/**
 * The lease of the owner of a schema: the time for which it may keep its sessions without reaching the database. If a standby can reach the database,
 * the owner must end its sessions before the standby takes over. The owner uses only its own clock. The lease counts from the moment at which the
 * owner sent its last successful query.
 *
 * If the standby cannot reach the database either, nobody can take over, and the owner keeps its sessions for a while. So hundreds of accounts need
 * not log in again after a restart of the database.
 */
import type { StandbyAddress } from './standbys.ts'

/** Length of the lease in ms. It is shorter than the time after which a standby takes over (`owner-watch.ts`), even if the two clocks drift. */
const LEASE = 4_000
/** Longest time in ms for which the sessions are kept while neither the owner nor a standby can reach the database. */
const HELD = 60_000
/** Interval in ms at which the lease is checked. */
export const CHECK_EVERY = 500

export interface LeaseOptions {
  /** A clock that does not step. */
  now(): number
  /** Asks a standby. Resolves with true only if the standby answers that it cannot reach the database. */
  isAway(standby: StandbyAddress): Promise<boolean>
  /** Called once, when the lease has ended and a standby may take over the schema. */
  onEnded(): void
}

export interface OwnerLease {
  /** Renews the lease after a successful query. `sentAt` is the time at which the query was sent. */
  renew(sentAt: number, standbys: readonly StandbyAddress[]): void
  /** Checks the lease. Must be called every `CHECK_EVERY` ms. */
  check(): Promise<void>
}

export function createOwnerLease({ now, isAway, onEnded }: LeaseOptions): OwnerLease {
  let since = now()
  let known: readonly StandbyAddress[] = []
  let isEnded = false
  let isAsking = false

  async function isHeld(): Promise<boolean> {
    const standbys = known
    if (now() - since < LEASE || standbys.length === 0) return true
    const renewedAt = since
    const answers = await Promise.all(standbys.map(isAway))
    if (since !== renewedAt) return true
    return answers.every(Boolean) && now() - since < HELD
  }

  return {
    renew(sentAt, standbys) {
      since = sentAt
      known = standbys
    },
    async check() {
      if (isEnded || isAsking) return
      isAsking = true
      isEnded = !(await isHeld().finally(() => {
        isAsking = false
      }))
      if (isEnded) onEnded()
    },
  }
}
