/**
 * The lease is the time for which an active service keeps its sessions without reaching the database. It counts from
 * the last query that succeeded, by the service's own clock.
 *
 * A standby, or another member of a cluster, that can reach the database replaces this service, which must end its
 * sessions. If each rival is stopping or cannot reach the database either, this service keeps its sessions for up to a
 * minute: otherwise hundreds of accounts would have to log in again.
 */
import type { LeaseMoment } from '../../../shared-lease.ts'
import { PATIENCE } from './standbys.ts'

/**
 * Length of the lease in ms. It is shorter than the time after which a silent service is replaced although it still has
 * its lock.
 */
const LEASE = 4_000
/** Maximum length of the lease in ms after the last query, if the service has rivals or may get some. */
const HELD = 60_000
/** Interval in ms at which the lease is checked. */
export const CHECK_EVERY = 500
/**
 * Milliseconds after the last successful query at which the rivals are asked, so that their answers arrive before the
 * lease expires.
 */
const ASK_AFTER = LEASE - CHECK_EVERY - PATIENCE

export interface LeaseOptions<Rival> {
  now(): LeaseMoment
  /** True if an unknown rival may appear. The lease then ends after a minute even if no rival is known. */
  mayGetRivals?: boolean | undefined
  /**
   * Resolves with true if the rival has ended, or has said that it cannot reach the database or that it stops. If that
   * is not known, resolves with false. Never rejects.
   */
  doesNotTakeOver(rival: Rival): Promise<boolean>
  /**
   * Called each time that the lease was renewed or prolonged, with its end by the monotonic clock and the moment from
   * which it counts. The end is `Infinity` if no rival may replace this service.
   */
  onHeld(until: number, since: LeaseMoment): void
  /** Called once, when the lease has ended and a rival may replace this service. */
  onEnded(): void
}

export interface OwnerLease<Rival> {
  /** Must be called after a successful query. `sentAt` is the moment before the query was sent. */
  renew(sentAt: LeaseMoment, rivals: readonly Rival[]): void
  /** Must be called every `CHECK_EVERY` ms. */
  check(): Promise<void>
}

export function createOwnerLease<Rival>({
  now,
  mayGetRivals = false,
  doesNotTakeOver,
  onHeld,
  onEnded,
}: LeaseOptions<Rival>): OwnerLease<Rival> {
  let since = now()
  /**
   * Moment of the latest question to which all rivals answered that they do not take over. The lease counts
   * from this moment, if no query succeeded later.
   */
  let awayAt: LeaseMoment | undefined
  let checkedAt = since.monotonic
  let known: readonly Rival[] = []
  let isEnded = false
  let isAsking = false

  const latest = () => (awayAt !== undefined && awayAt.monotonic > since.monotonic ? awayAt : since)
  function end(): number {
    if (known.length > 0) return Math.min(latest().monotonic + LEASE, since.monotonic + HELD)
    return mayGetRivals ? since.monotonic + HELD : Number.POSITIVE_INFINITY
  }
  const tell = () => onHeld(end(), latest())

  async function askAll(at: LeaseMoment): Promise<void> {
    isAsking = true
    const answers = await Promise.all(known.map(doesNotTakeOver))
    isAsking = false
    if (!answers.every(Boolean)) return
    awayAt = at
    tell()
  }

  return {
    renew(sentAt, rivals) {
      since = sentAt
      known = rivals
      tell()
    },
    async check() {
      const moment = now()
      const at = moment.monotonic
      // A process that was paused could not ask its rivals, so its first check after the pause does not end the lease.
      const stoodStill = at - checkedAt > 2 * CHECK_EVERY
      checkedAt = at
      if (isEnded) return
      if (at >= end() && !stoodStill) {
        isEnded = true
        return onEnded()
      }
      if (known.length > 0 && at - since.monotonic >= ASK_AFTER && !isAsking) await askAll(moment)
    },
  }
}
