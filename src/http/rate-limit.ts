/**
 * Two limits: a token bucket per instance or workspace, and a throttle of wrong credentials per source address. The clock they are given is
 * one that does not step.
 */
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts'
import { subscriberOf } from '../egress/addresses.ts'

export const CAPACITY = 120
export const REFILL_PER_SECOND = 60
/** Of the description, per address: a few pages opened at once, then one a second. */
export const DESCRIPTIONS = { capacity: 20, perSecond: 1 }
/** Limit of `/passkey`, per instance: thirty requests a minute. */
export const TICKETS = { capacity: 30, perSecond: 30 / 60 }
/** Of `/oauth`, per kind of request and address: ten a minute. */
export const OAUTH = { capacity: 10, perSecond: 10 / 60 }

interface Bucket {
  tokens: number
  /** Epoch ms of the last change. */
  at: number
}

export interface Taken {
  allowed: boolean
  /** Whole tokens left. */
  remaining: number
  /** Seconds until the next token, at least 1. */
  retryAfter: number
}

/** Above this many owners, buckets that are full again are dropped: they hold no information. */
const SWEEP_ABOVE = 10_000

/** A walk over all of them at most this often: every bucket is full again after two seconds, and a walk per request would be quadratic. */
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

/** Wrong credentials an address may give in a minute. */
export const FAILURES_PER_MINUTE = 30

/**
 * Counts kept at a time; above it the one that expires first is dropped. About 20 MB; an attacker with more networks than this gains
 * nothing from it.
 */
const MAX_COUNTS = 100_000

interface Window {
  failures: number
  endsAt: number
}

/**
 * Counts failures per source address, and of each per `owner`, the secret that was guessed at (none: any). A minute begins with the first
 * failure; when it has ended, the count starts anew.
 */
export function createThrottle(clock: Clock) {
  /** All windows are equally long, so the order in which they were opened is the order in which they end. */
  const windows = new Map<string, Window>()
  const keyOf = (source: string, owner: string) => `${owner} ${subscriberOf(source)}`

  function dropEnded(now: number) {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= MAX_COUNTS) return
      windows.delete(key)
    }
  }

  return {
    /** Seconds until the minute ends, or undefined when the address has guesses left. */
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
