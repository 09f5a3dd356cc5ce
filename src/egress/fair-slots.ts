/**
 * Bounded concurrency that one slow receiver cannot use up: a limit for all, and a lower one per origin. Waiters are served in
 * order, except that a waiter whose origin is full is stepped over. Many receivers that hang cannot use it up together either, where a
 * holder counts for its origin alone after a while: it has nothing to do then but to wait.
 */
export interface FairSlots {
  /** Resolves when a slot is free; call what it returns, once, to give it back. Rejects when the signal ends the wait first. */
  take(origin: string, signal?: AbortSignal): Promise<() => void>
}

export interface FairSlotsOptions {
  total: number
  perOrigin: number
  /** Who has held a slot for so long, in ms, leaves the limit for all. Absent: nobody. */
  longMs?: number
  /** ms of a clock that does not step. */
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
  const taken = new Map<string, number>()
  const waiting: { origin: string; go: () => void }[] = []
  /** Those who count for all, in the order in which they came. */
  const holders = new Set<Holder>()
  let alarm: { cancel(): void } | undefined

  const fits = (origin: string) => holders.size < total && (taken.get(origin) ?? 0) < perOrigin

  function serve() {
    for (let next = 0; next >= 0; ) {
      next = waiting.findIndex((waiter) => fits(waiter.origin))
      if (next >= 0) waiting.splice(next, 1)[0]!.go()
    }
    watch()
  }

  /** Only while somebody waits for the limit of all. */
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
    taken.set(origin, (taken.get(origin) ?? 0) + 1)
    let held = true
    return () => {
      if (!held) return
      held = false
      holders.delete(holder)
      const left = taken.get(origin)! - 1
      if (left === 0) taken.delete(origin)
      else taken.set(origin, left)
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
