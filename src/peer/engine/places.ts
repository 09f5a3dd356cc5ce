/**
 * Limits the number of tasks that run at the same time; other tasks wait. Each task has a key. The keys take turns, and
 * each key has a limit, so that a key with many tasks does not keep the others waiting for long. The limit grows step
 * by step, so that many short tasks open few connections, and long tasks do not block the others.
 */
import { createKeyCounts } from '../../lib/key-counts.ts'

export interface Places {
  /**
   * Takes a place, and resolves with a function that gives it back. Resolves with undefined if no place became free in
   * time, if too many tasks wait, or if the wait was ended.
   */
  take(key: string, waitMs: number, signal?: AbortSignal): Promise<(() => void) | undefined>
  /** Ends all waits. */
  endWaits(): void
}

export interface PlacesOptions {
  /** Number of places at first, to which it falls back while no task waits, and maximum number of places. */
  first: number
  most: number
  /**
   * Interval in ms between two steps while tasks wait. If no place is free, a step adds half of `first`: it does so if
   * few tasks have ended since the last step, or the number of waiting tasks has not fallen.
   */
  growEveryMs: number
  mostWaiting: number
  /** Limits for one key. */
  mostOfKey: number
  mostWaitingOfKey: number
}

/** Called with true to enter, and with false if the wait ends without a place. */
type EndWait = (enters: boolean) => void

export function createPlaces(options: PlacesOptions): Places {
  const { first, most, growEveryMs, mostWaiting, mostOfKey, mostWaitingOfKey } = options
  const step = Math.ceil(first / 2)
  let total = first
  let used = 0
  let endedInStep = 0
  let waitedBefore = 0
  const usedOf = createKeyCounts()
  /** Waiting tasks by key. The first key is the one whose turn comes next. */
  const lines = new Map<string, Set<EndWait>>()
  let waitingCount = 0
  let growing: NodeJS.Timeout | undefined

  const mayEnter = (key: string) => used < total && usedOf.of(key) < mostOfKey

  /**
   * Lets one task enter: the first one of the next key that may have another place. Returns false if there is no such
   * key.
   */
  function admitNext(): boolean {
    for (const [key, line] of lines) {
      if (!mayEnter(key)) continue
      lines.delete(key)
      lines.set(key, line)
      const [end] = line
      end!(true)
      return true
    }
    return false
  }

  function admit() {
    while (used < total && admitNext());
    if (waitingCount > 0 && growing === undefined) {
      waitedBefore = waitingCount
      endedInStep = 0
      growing = setInterval(grow, growEveryMs)
    } else if (waitingCount === 0) {
      clearInterval(growing)
      growing = undefined
    }
  }

  function grow() {
    // If places are free, the tasks wait for others with the same key, and more places do not help.
    if (used >= total && (endedInStep < step || waitingCount >= waitedBefore)) total = Math.min(most, total + step)
    endedInStep = 0
    waitedBefore = waitingCount
    admit()
  }

  function taken(key: string): () => void {
    used++
    usedOf.add(key)
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      used--
      usedOf.remove(key)
      endedInStep++
      if (waitingCount === 0 && total > first) total--
      admit()
    }
  }

  return {
    take(key, waitMs, signal) {
      if (mayEnter(key)) return Promise.resolve(taken(key))
      const line = lines.get(key) ?? new Set<EndWait>()
      if (waitingCount >= mostWaiting || line.size >= mostWaitingOfKey || signal?.aborted) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const leave = () => end(false)
        const timer = setTimeout(leave, waitMs)
        signal?.addEventListener('abort', leave)
        function end(enters: boolean) {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          line.delete(end)
          waitingCount--
          if (line.size === 0) lines.delete(key)
          resolve(enters ? taken(key) : undefined)
          if (!enters) admit()
        }
        line.add(end)
        lines.set(key, line)
        waitingCount++
        admit()
      })
    },
    endWaits() {
      for (const line of lines.values()) for (const end of line) end(false)
    },
  }
}
