/**
 * Implements two kinds of limits: a token bucket per instance or workspace, and a throttle of wrong credentials per
 * source address. Their clock must not step.
 */
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts'
import { subscriberOf } from '../egress/addresses.ts'

export const CAPACITY = 120
export const REFILL_PER_SECOND = 60
/** Limit of the description, per address: a few pages at once, then one per second. */
export const DESCRIPTIONS = { capacity: 20, perSecond: 1 }
/** Limit of `/passkey`, per instance: thirty requests a minute. */
export const TICKETS = { capacity: 30, perSecond: 30 / 60 }
/** Limit of `/connect`, per link. It allows three requests per second, because the page sends about one. */
export const CONNECT = { capacity: 60, perSecond: 3 }
/**
 * Limit of phone codes and of restarts at `/connect`: five at once of each, then one per minute. The limit is low because the holder of a link could
 * otherwise ring any phone many times.
 */
export const CONNECT_STARTS = { capacity: 5, perSecond: 1 / 60 }
/** Limit of `/oauth`, per kind of request and address: ten requests a minute. */
export const OAUTH = { capacity: 10, perSecond: 10 / 60 }

interface Bucket {
  tokens: number
  /** Time of the last change of the bucket, by the clock of the buckets. */
  at: number
}

export interface Taken {
  allowed: boolean
  /** Number of whole tokens left. */
  remaining: number
  /** Seconds until the next token, at least 1. */
  retryAfter: number
}

/** Number of buckets above which full ones are removed. A full bucket holds no information, because a new bucket is also full. */
const SWEEP_ABOVE = 10_000

/**
 * Minimum interval between two scans for full buckets. A scan for every request would take quadratic time, and is not
 * needed, because the bucket of an instance or workspace is full again after two seconds.
 */
const SWEEP_INTERVAL = SECOND

export function createBuckets(clock: Clock, { capacity, perSecond } = { capacity: CAPACITY, perSecond: REFILL_PER_SECOND }) {
  const buckets = new Map<string, Bucket>()
  let sweptAt = Number.NEGATIVE_INFINITY

  function current(owner: string): Bucket {
    const now = clock.now()
    const bucket = buckets.get(owner)
    if (!bucket) return { tokens: capacity, at: now }
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) / SECOND) * perSecond
    return { tokens: Math.min(capacity, refilled), at: now }
  }

  function sweep() {
    const now = clock.now()
    if (buckets.size <= SWEEP_ABOVE || Math.abs(now - sweptAt) < SWEEP_INTERVAL) return
    sweptAt = now
    for (const owner of buckets.keys()) if (current(owner).tokens === capacity) buckets.delete(owner)
  }

  return {
    take(owner: string): Taken {
      const { tokens, at } = current(owner)
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      sweep()
      buckets.set(owner, { tokens: left, at })
      return { allowed, remaining: Math.floor(left), retryAfter: Math.max(1, Math.ceil((1 - left) / perSecond)) }
    },
    remaining: (owner: string) => Math.floor(current(owner).tokens),
  }
}
export type Buckets = ReturnType<typeof createBuckets>

/** Maximum number of wrong credentials that an address may send in a minute. */
export const FAILURES_PER_MINUTE = 30

/**
 * Maximum number of counts of failures that are kept; if there are more, the count that expires first is evicted. The
 * counts take about 20 MB. An attacker with more networks than this gains nothing from the eviction.
 */
const MAX_COUNTS = 100_000

interface Window {
  failures: number
  endsAt: number
}

/**
 * Counts failures per source address. If `owner`, the owner of the guessed secret, is given, the failures of each owner are counted separately. A
 * minute begins with the first failure; after it ends, the count restarts.
 */
export function createThrottle(clock: Clock) {
  /** All windows have the same length, so the first entry of the map is the window that ends first. */
  const windows = new Map<string, Window>()
  const keyOf = (source: string, owner: string) => `${owner} ${subscriberOf(source)}`

  function dropEnded(now: number) {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= MAX_COUNTS) return
      windows.delete(key)
    }
  }

  return {
    /** Returns the seconds until the minute ends, or undefined if the address has guesses left. */
    blockedFor(source: string, owner = ''): number | undefined {
      const window = windows.get(keyOf(source, owner))
      if (!window || window.failures < FAILURES_PER_MINUTE) return undefined
      const left = window.endsAt - clock.now()
      return left > 0 ? Math.max(1, Math.ceil(left / SECOND)) : undefined
    },
    failed(source: string, owner = '') {
      const now = clock.now()
      const key = keyOf(source, owner)
      const window = windows.get(key)
      if (window && window.endsAt > now) {
        window.failures++
        return
      }
      windows.delete(key)
      windows.set(key, { failures: 1, endsAt: now + MINUTE })
      dropEnded(now)
    },
  }
}
export type Throttle = ReturnType<typeof createThrottle>
