/**
 * Bounded concurrency that one slow receiver cannot use up: a limit for all, and a lower one per origin. Waiters are served in
 * order, except that a waiter whose origin is full is stepped over.
 */
export interface FairSlots {
  /** Resolves when a slot is free; call what it returns, once, to give it back. Rejects when the signal ends the wait first. */
  take(origin: string, signal?: AbortSignal): Promise<() => void>
}

export function fairSlots({ total, perOrigin }: { total: number; perOrigin: number }): FairSlots {
  const taken = new Map<string, number>()
  const waiting: { origin: string; go: () => void }[] = []
  let used = 0

  const fits = (origin: string) => used < total && (taken.get(origin) ?? 0) < perOrigin

  function occupy(origin: string) {
    used++
    taken.set(origin, (taken.get(origin) ?? 0) + 1)
    let held = true
    return () => {
      if (!held) return
      held = false
      used--
      const left = taken.get(origin)! - 1
      if (left === 0) taken.delete(origin)
      else taken.set(origin, left)
      const next = waiting.findIndex((waiter) => fits(waiter.origin))
      if (next >= 0) waiting.splice(next, 1)[0]!.go()
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
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', giveUp, { once: true })
        waiting.push(waiter)
      })
    },
  }
}
