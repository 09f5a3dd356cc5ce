/** Two limits: a token bucket per instance or workspace, and a throttle on answers with 401 per source address. */
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts'

export const CAPACITY = 120
export const REFILL_PER_SECOND = 60

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

/** Above this many owners, buckets that are full again are dropped: they say nothing. */
const SWEEP_ABOVE = 10_000

export function createBuckets(clock: Clock) {
  const buckets = new Map<string, Bucket>()

  function current(owner: string): Bucket {
    const now = clock.now()
    const bucket = buckets.get(owner)
    if (!bucket) return { tokens: CAPACITY, at: now }
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) / SECOND) * REFILL_PER_SECOND
    return { tokens: Math.min(CAPACITY, refilled), at: now }
  }

  function sweep() {
    for (const owner of buckets.keys()) if (current(owner).tokens === CAPACITY) buckets.delete(owner)
  }

  return {
    take(owner: string): Taken {
      const { tokens, at } = current(owner)
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      if (buckets.size > SWEEP_ABOVE) sweep()
      buckets.set(owner, { tokens: left, at })
      return { allowed, remaining: Math.floor(left), retryAfter: Math.max(1, Math.ceil((1 - left) / REFILL_PER_SECOND)) }
    },
    remaining: (owner: string) => Math.floor(current(owner).tokens),
  }
}
export type Buckets = ReturnType<typeof createBuckets>

/** Answers with 401 an address may get in a minute. */
export const FAILURES_PER_MINUTE = 30

interface Window {
  failures: number
  endsAt: number
}

/** A minute begins with the first failure; when it has ended, the address starts anew. */
export function createThrottle(clock: Clock) {
  const windows = new Map<string, Window>()

  function open(source: string): Window | undefined {
    const window = windows.get(source)
    if (window && window.endsAt <= clock.now()) {
      windows.delete(source)
      return undefined
    }
    return window
  }

  return {
    /** Seconds until the minute ends, or undefined when the address may try. */
    blockedFor(source: string): number | undefined {
      const window = open(source)
      if (!window || window.failures < FAILURES_PER_MINUTE) return undefined
      return Math.max(1, Math.ceil((window.endsAt - clock.now()) / SECOND))
    },
    failed(source: string) {
      if (windows.size > SWEEP_ABOVE) for (const known of windows.keys()) open(known)
      const window = open(source) ?? { failures: 0, endsAt: clock.now() + MINUTE }
      windows.set(source, { ...window, failures: window.failures + 1 })
    },
  }
}
export type Throttle = ReturnType<typeof createThrottle>
