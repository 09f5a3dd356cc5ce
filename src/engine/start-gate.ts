/**
 * Allows at most `limit` session starts in any second per network route. There is no pause between two starts, so the
 * first starts begin at the same time.
 */
import { type Clock, SECOND } from '../domain/clock.ts'

export interface StartGate {
  /**
   * Resolves when a session may start, in the order of the calls. The returned function must be called if no session
   * was started.
   */
  slot(): Promise<() => void>
  open(): void
}

export function createStartGate(limit: number, clock: Clock): StartGate {
  let taken: number[] = []
  const waiting: ((giveBack: () => void) => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let isOpen = false

  function take(): () => void {
    const at = clock.now()
    taken.push(at)
    return () => {
      const index = taken.indexOf(at)
      if (index >= 0) taken.splice(index, 1)
      admit()
    }
  }

  function admit() {
    const now = clock.now()
    // If the clock was set back, a stored time is in the future. It is ignored, so that no start waits longer than a
    // second.
    taken = taken.filter((at) => at > now - SECOND && at <= now)
    while (waiting.length > 0 && (isOpen || taken.length < limit)) waiting.shift()!(take())
    clearTimeout(timer)
    if (waiting.length > 0) timer = setTimeout(admit, Math.max(1, taken[0]! + SECOND - now))
  }

  return {
    slot: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        admit()
      }),
    open() {
      isOpen = true
      admit()
    },
  }
}
