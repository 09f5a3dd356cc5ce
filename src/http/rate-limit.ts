/**
 * Token buckets, for example one per instance or workspace, and a throttle of wrong credentials per address. Their
 * clock must be monotonic.
 */

import { type Clock, MINUTE, SECOND } from '../domain/clock.ts'
import type { LimitShare } from '../domain/limit-share.ts'
import { subscriberOf } from '../egress/addresses.ts'

export const CAPACITY = 120
export const REFILL_PER_SECOND = 60
export const DESCRIPTIONS = { capacity: 20, perSecond: 1 }
export const TICKETS = { capacity: 30, perSecond: 30 / 60 }
/** Limit of `/connect`, per link. The page sends about one request per second. */
export const CONNECT = { capacity: 60, perSecond: 3 }
/**
 * Limit of pairing codes and of restarts, per link and operation. Otherwise, the holder of a connect link could request
 * pairing codes for any number all the time.
 */
export const CONNECT_STARTS = { capacity: 5, perSecond: 1 / 60 }
export const OAUTH = { capacity: 10, perSecond: 10 / 60 }

interface Bucket {
  tokens: number
  at: number
}

export interface Taken {
  allowed: boolean
  remaining: number
  retryAfter: number
}

/** Number of buckets above which full ones are removed. A new bucket is full, so no information is lost. */
const SWEEP_ABOVE = 10_000

/** Minimum time in ms between two scans for full buckets. A scan at every request would take quadratic time. */
const SWEEP_INTERVAL = SECOND

export interface Limits {
  capacity: number
  perSecond: number
}

/**
 * Creates the buckets of one kind of limit. `services` returns the number of services that count the limit together.
 */
export function createBuckets(
  clock: Clock,
  limits: Limits | (() => Limits) = { capacity: CAPACITY, perSecond: REFILL_PER_SECOND },
  services: () => number = () => 1,
) {
  const limitsNow = typeof limits === 'function' ? limits : () => limits
  const buckets = new Map<string, Bucket>()
  let sweptAt = Number.NEGATIVE_INFINITY

  function current(owner: string): Bucket {
    const now = clock.now()
    const { capacity, perSecond } = limitsNow()
    const bucket = buckets.get(owner)
    if (!bucket) return { tokens: capacity, at: now }
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) / SECOND) * perSecond
    return { tokens: Math.min(capacity, refilled), at: now }
  }

  function sweep() {
    const now = clock.now()
    if (buckets.size <= SWEEP_ABOVE || Math.abs(now - sweptAt) < SWEEP_INTERVAL) return
    sweptAt = now
    const { capacity } = limitsNow()
    for (const owner of buckets.keys()) if (current(owner).tokens >= capacity) buckets.delete(owner)
  }

  function put(owner: string, bucket: Bucket) {
    sweep()
    buckets.set(owner, bucket)
  }
  const whole = (tokens: number) => Math.max(0, Math.floor(tokens))

  return {
    take(owner: string): Taken {
      const { tokens, at } = current(owner)
      const { perSecond } = limitsNow()
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      put(owner, { tokens: left, at })
      return { allowed, remaining: whole(left), retryAfter: Math.max(1, Math.ceil((1 - left) / perSecond)) }
    },
    /**
     * Takes tokens for requests that other services have allowed. The bucket then owes at most what the buckets of all
     * other services can hold.
     */
    spend(owner: string, count: number) {
      const { tokens, at } = current(owner)
      const most = limitsNow().capacity * Math.max(1, services() - 1)
      put(owner, { tokens: Math.max(-most, tokens - count), at })
    },
    remaining: (owner: string) => whole(current(owner).tokens),
  }
}
export type Buckets = ReturnType<typeof createBuckets>

/** Buckets that several services of a store share: each service reports to the others what it has allowed. */
export function sharedBuckets(buckets: Buckets): { buckets: Buckets; share: LimitShare } {
  const used = new Map<string, number>()
  return {
    buckets: {
      ...buckets,
      take(owner) {
        const taken = buckets.take(owner)
        if (taken.allowed) used.set(owner, (used.get(owner) ?? 0) + 1)
        return taken
      },
    },
    share: {
      uses() {
        const uses = [...used]
        used.clear()
        return uses
      },
      spend(uses) {
        for (const [owner, count] of uses) buckets.spend(owner, count)
      },
    },
  }
}

export const FAILURES_PER_MINUTE = 30
/** Minimum number of wrong guesses that each service allows, so that people can mistype a secret. */
const LEAST_FAILURES = 5
const LEAST_STARTS = 2

/**
 * Returns the number of wrong guesses per minute that each of `services` services allows. Callers can send requests to
 * each service on a store.
 */
export const failuresAmong = (services: number): number => Math.max(LEAST_FAILURES, Math.floor(FAILURES_PER_MINUTE / services))
export const startsAmong = (services: number): Limits => ({
  capacity: Math.max(LEAST_STARTS, Math.floor(CONNECT_STARTS.capacity / services)),
  perSecond: CONNECT_STARTS.perSecond / services,
})

/**
 * Maximum number of counts of one throttle; they take about 20 MB. If there are more, those that end first are evicted.
 */
const MAX_COUNTS = 100_000

interface Window {
  failures: number
  endsAt: number
}

/**
 * Counts failures per address, or per address and `owner` of the guessed secret if one is given. A minute begins with
 * the first failure.
 */
export function createThrottle(clock: Clock, most: () => number = () => FAILURES_PER_MINUTE) {
  const windows = new Map<string, Window>()
  const keyOf = (source: string, owner: string) => `${owner} ${subscriberOf(source)}`

  function dropEnded(now: number) {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= MAX_COUNTS) return
      windows.delete(key)
    }
  }

  return {
    /** Returns the seconds until the minute ends; undefined if the address has guesses left. */
    blockedFor(source: string, owner = ''): number | undefined {
      const window = windows.get(keyOf(source, owner))
      if (!window || window.failures < most()) return undefined
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
