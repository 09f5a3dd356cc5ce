/**
 * The lease of a service on its store, which the main thread renews and every thread reads. Without it, a process that
 * stood still, and was replaced in that time, would send frames and webhooks before it notices the replacement. Reading
 * it takes a fraction of a microsecond.
 */

/** End of the lease in ns of the monotonic clock, which all threads of a process share. */
export type SharedLease = BigInt64Array

/** A service that nobody can replace has a lease without an end. */
const NEVER = 2n ** 63n - 1n
const NS_PER_MS = 1_000_000

export const shareLease = (): SharedLease => new BigInt64Array(new SharedArrayBuffer(8)).fill(NEVER)

/** `leftMs` may be `Infinity`. */
export function holdLease(lease: SharedLease, leftMs: number): void {
  const end = leftMs === Number.POSITIVE_INFINITY ? NEVER : process.hrtime.bigint() + BigInt(Math.round(leftMs * NS_PER_MS))
  Atomics.store(lease, 0, end)
}

export const isLeaseHeld = (lease: SharedLease): boolean => process.hrtime.bigint() < Atomics.load(lease, 0)
