/**
 * The lease of the owner of a schema: the time for which it may keep its sessions without reaching the database. If a standby can reach the database,
 * the owner must end its sessions, because the standby takes over. The owner uses only its own clock. The lease counts from the moment at which the
 * owner sent its last successful query.
 *
 * If the standby cannot reach the database either, nobody can take over, and the owner keeps its sessions for a while. So hundreds of accounts need
 * not log in again after a restart of the database.
 */
import type { StandbyAddress } from '../../../../domain/standby-address.ts'
import { PATIENCE } from './standbys.ts'

/**
 * Time in ms of the lease. It is shorter than the time after which a standby takes over from an owner whose lock the server still holds
 * (`owner-watch.ts`), also if their clocks drift. If the server has released the lock, the standby is there earlier: it waits for two to three
 * seconds only. The former owner can store nothing then and logs in with nobody, but its sessions live until the lease ends.
 */
const LEASE = 4_000
/** Longest time in ms for which the sessions are kept while neither the owner nor a standby can reach the database. */
const HELD = 60_000
/** Interval in ms at which the lease is checked. */
export const CHECK_EVERY = 500
/** The standbys are asked so early that their answers are there when the lease ends. */
const ASK_AFTER = LEASE - CHECK_EVERY - PATIENCE

export interface LeaseOptions {
  /** A clock that does not step. */
  now(): number
  /** Asks a standby. Resolves with true only if the standby answers that it cannot reach the database. Never rejects. */
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
  /**
   * Time of the latest question to which all standbys answered that they cannot reach the database. Each of them begins its watch again when the
   * database is back, so the lease goes on from there: the owner gets time to find the database too.
   */
  let awayAt = Number.NEGATIVE_INFINITY
  let checkedAt = since
  let known: readonly StandbyAddress[] = []
  let isEnded = false
  let isAsking = false

  const isOver = (at: number) => at - Math.max(since, awayAt) >= LEASE || at - since >= HELD

  async function askAll(at: number): Promise<void> {
    isAsking = true
    const answers = await Promise.all(known.map(isAway))
    isAsking = false
    if (answers.every(Boolean)) awayAt = at
  }

  return {
    renew(sentAt, standbys) {
      since = sentAt
      known = standbys
    },
    async check() {
      const at = now()
      // If this process stood still, its next look has had no chance yet, so the lease ends at the next check at the earliest.
      const stoodStill = at - checkedAt > 2 * CHECK_EVERY
      checkedAt = at
      if (isEnded || known.length === 0) return
      if (isOver(at) && !stoodStill) {
        isEnded = true
        return onEnded()
      }
      if (at - since >= ASK_AFTER && !isAsking) await askAll(at)
    },
  }
}
