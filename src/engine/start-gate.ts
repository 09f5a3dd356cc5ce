/**
 * Allows at most `limit` session starts in any second per network route, for starts of the process and of a single shard. It is a window and not a
 * pause between starts, so the 25 instances of a crashed shard begin at once. An instance that turns out to have no session to start (created, logged
 * out, stopped) returns its slot.
 */
import { type Clock, SECOND } from '../domain/clock.ts'

export interface StartGate {
  /** Resolves when a start may begin, in the order of the calls. Call the returned function if the slot was not used. */
  slot(): Promise<() => void>
  /** Resolves all waiting calls; afterwards nothing is limited. */
  open(): void
}

export function createStartGate(limit: number, clock: Clock): StartGate {
  /** Times of the starts in the last second. */
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
    // A clock that was set back must not delay anybody for longer than the window.
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
