/**
 * Bounded concurrency that one slow receiver cannot use up: there is a limit for all requests, and a lower one per
 * origin. With `longMs`, a request that takes long counts only in the limit of its origin.
 */
import { createKeyCounts } from '../lib/key-counts.ts'

export interface FairSlots {
  /**
   * Waits for a free slot. The returned function must be called once to release the slot. Rejects if the signal is
   * aborted first.
   */
  take(origin: string, signal?: AbortSignal): Promise<() => void>
}

export interface FairSlotsOptions {
  total: number
  perOrigin: number
  /** Milliseconds after which a request no longer counts in the limit for all. If absent, requests always count. */
  longMs?: number
  /** Returns ms from a clock that does not step. */
  now?: () => number
  timer?: (delayMs: number, run: () => void) => { cancel(): void }
}

function inTime(delayMs: number, run: () => void) {
  const handle = setTimeout(run, delayMs)
  return { cancel: () => clearTimeout(handle) }
}

interface Holder {
  readonly since: number
}

export function fairSlots({
  total,
  perOrigin,
  longMs = Number.POSITIVE_INFINITY,
  now = () => performance.now(),
  timer = inTime,
}: FairSlotsOptions): FairSlots {
  const taken = createKeyCounts()
  const waiting: { origin: string; go: () => void }[] = []
  /** Requests that count in the limit for all, in the order in which they got their slots. */
  const holders = new Set<Holder>()
  let alarm: { cancel(): void } | undefined

  const fits = (origin: string) => holders.size < total && taken.of(origin) < perOrigin

  function serve() {
    for (let next = 0; next >= 0; ) {
      next = waiting.findIndex((waiter) => fits(waiter.origin))
      if (next >= 0) waiting.splice(next, 1)[0]!.go()
    }
    watch()
  }

  /** Sets a timer only while somebody waits and the limit for all is reached. */
  function watch() {
    alarm?.cancel()
    alarm = undefined
    const [oldest] = holders
    if (oldest === undefined || holders.size < total || waiting.length === 0 || longMs === Number.POSITIVE_INFINITY) return
    alarm = timer(oldest.since + longMs - now(), () => {
      alarm = undefined
      for (const holder of holders) {
        if (holder.since + longMs > now()) break
        holders.delete(holder)
      }
      serve()
    })
  }

  function occupy(origin: string) {
    const holder: Holder = { since: now() }
    holders.add(holder)
    taken.add(origin)
    let held = true
    return () => {
      if (!held) return
      held = false
      holders.delete(holder)
      taken.remove(origin)
      serve()
    }
  }

  return {
    async take(origin, signal) {
      signal?.throwIfAborted()
      if (fits(origin)) return occupy(origin)
      return new Promise((resolve, reject) => {
        const waiter = {
          origin,
          go: () => {
            signal?.removeEventListener('abort', giveUp)
            resolve(occupy(origin))
          },
        }
        const giveUp = () => {
          waiting.splice(waiting.indexOf(waiter), 1)
          watch()
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', giveUp, { once: true })
        waiting.push(waiter)
        watch()
      })
    },
  }
}
