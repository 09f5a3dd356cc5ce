/**
 * The lease of a service on its store, which the main thread renews and the shard threads read. A process that stood
 * still may have been replaced, and would otherwise send frames and webhooks before it notices the replacement.
 *
 * The lease also runs while the machine is suspended, which stops the monotonic clock. The time since the boot goes on,
 * but it takes longer to read, so it is read only if the wall clock shows that the lease may have ended.
 */
import { uptime } from 'node:os'

/**
 * Three cells: the end of the lease in ms of the monotonic clock, and by how many ms the wall clock and the uptime were
 * ahead of that clock.
 */
export type SharedLease = BigInt64Array
const END = 0
const WALL_AHEAD = 1
const UPTIME_AHEAD = 2

/** Clocks that all threads of a process share. Each returns ms. */
export interface LeaseClocks {
  /** The monotonic clock. It stops while the machine is suspended. */
  monotonic(): number
  wall(): number
  uptime(): number
}

/** One moment in ms of each of the clocks. */
export type LeaseMoment = { readonly [K in keyof LeaseClocks]: number }

export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000

const ofMachine: LeaseClocks = { monotonic: monotonicMs, wall: Date.now, uptime: () => uptime() * 1_000 }

export const momentNow = ({ monotonic, wall, uptime }: LeaseClocks = ofMachine): LeaseMoment => ({
  monotonic: monotonic(),
  wall: wall(),
  uptime: uptime(),
})

/** End of a lease that does not end, because nobody can replace the service, or because no end was set yet. */
const NEVER = 2n ** 63n - 1n

export const shareLease = (): SharedLease => new BigInt64Array(new SharedArrayBuffer(3 * 8)).fill(NEVER)

/**
 * Sets the lease to end at `until`, a time of the monotonic clock in ms, or `Infinity`. `since` is the moment from
 * which the lease counts. The clocks must not be read again here, because the machine may have been suspended after
 * that moment.
 */
export function holdLease(lease: SharedLease, until: number, since: LeaseMoment): void {
  Atomics.store(lease, WALL_AHEAD, BigInt(Math.round(since.wall - since.monotonic)))
  Atomics.store(lease, UPTIME_AHEAD, BigInt(Math.round(since.uptime - since.monotonic)))
  Atomics.store(lease, END, until === Number.POSITIVE_INFINITY ? NEVER : BigInt(Math.floor(until)))
}

export function isLeaseHeld(lease: SharedLease, { monotonic, wall, uptime }: LeaseClocks = ofMachine): boolean {
  const found = Atomics.load(lease, END)
  if (found === NEVER) return true
  const end = Number(found)
  const now = monotonic()
  const isBeforeEnd = (clock: () => number, cell: number) => clock() - Number(Atomics.load(lease, cell)) < end
  // Somebody may have set the wall clock, so it alone does not end the lease.
  return now < end && (isBeforeEnd(wall, WALL_AHEAD) || isBeforeEnd(uptime, UPTIME_AHEAD))
}
