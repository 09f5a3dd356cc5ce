/**
 * A limit of tasks that run at the same time; others wait in order. The limit grows step by step while few tasks end, or
 * while the line does not become shorter. So many short tasks that come together open few connections, and long ones do
 * not hold up the others.
 */

export interface Places {
  /**
   * Resolves with a function that gives the place back. Resolves with undefined if none became free in time, if too many
   * wait, or if the wait was ended.
   */
  take(waitMs: number, signal?: AbortSignal): Promise<(() => void) | undefined>
  /** Ends all waits. */
  endWaits(): void
}

export interface PlacesOptions {
  /** Number of places while no task waits, and the highest number. */
  first: number
  most: number
  /**
   * Interval in ms of a step, which adds half of `first` if fewer tasks than that have ended in it, or if as many wait as
   * before.
   */
  growEveryMs: number
  mostWaiting: number
}

export function createPlaces({ first, most, growEveryMs, mostWaiting }: PlacesOptions): Places {
  const step = Math.ceil(first / 2)
  let total = first
  let used = 0
  let endedInStep = 0
  let waitedBefore = 0
  /** Called with true to enter, and with false if the wait is over. */
  const waiting = new Set<(enters: boolean) => void>()
  let growing: NodeJS.Timeout | undefined

  function admit() {
    for (const end of waiting) {
      if (used >= total) break
      end(true)
    }
    if (waiting.size > 0 && growing === undefined) {
      waitedBefore = waiting.size
      endedInStep = 0
      growing = setInterval(grow, growEveryMs)
    } else if (waiting.size === 0) {
      clearInterval(growing)
      growing = undefined
    }
  }

  function grow() {
    if (endedInStep < step || waiting.size >= waitedBefore) total = Math.min(most, total + step)
    endedInStep = 0
    waitedBefore = waiting.size
    admit()
  }

  function taken(): () => void {
    used++
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      used--
      endedInStep++
      if (waiting.size === 0 && total > first) total--
      admit()
    }
  }

  return {
    take(waitMs, signal) {
      if (used < total) return Promise.resolve(taken())
      if (waiting.size >= mostWaiting || signal?.aborted) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const leave = () => end(false)
        const timer = setTimeout(leave, waitMs)
        signal?.addEventListener('abort', leave)
        function end(enters: boolean) {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          waiting.delete(end)
          resolve(enters ? taken() : undefined)
          if (!enters) admit()
        }
        waiting.add(end)
        admit()
      })
    },
    endWaits() {
      for (const end of waiting) end(false)
    },
  }
}
