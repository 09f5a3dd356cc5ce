/**
 * Admits at most `limit` starts of instances in any second. There is no pause between two starts, so the first starts
 * begin at the same time.
 */
import { type Clock, SECOND } from '../domain/clock.ts'
import { deferred } from '../lib/deferred.ts'
import { createStartLine } from './start-line.ts'

/** A place in the line of starts. */
export interface StartPlace {
  /**
   * Resolves when the session may start, or after `leave`. The returned function must be called if no session was
   * started.
   */
  readonly admitted: Promise<() => void>
  /**
   * Moves the place ahead, because a request of this workspace came. Returns the ms after which the session is expected
   * to start.
   */
  moveAhead(workspace: string): number
  leave(): void
}

export interface StartGate {
  /**
   * Adds a place at the end of the line. Places are admitted in the order of these calls, except for those that are
   * moved ahead.
   */
  enter(): StartPlace
  open(): void
}

type Admit = (giveBack: () => void) => void

export function createStartGate(limit: number, clock: Clock): StartGate {
  let taken: number[] = []
  const line = createStartLine<Admit>()
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
    while (!line.isEmpty() && (isOpen || taken.length < limit)) line.next()!(take())
    clearTimeout(timer)
    if (!line.isEmpty()) timer = setTimeout(admit, Math.max(1, taken[0]! + SECOND - now))
  }

  /**
   * Returns the ms until a place is admitted. While a place waits, all slots are taken, and each becomes free one
   * second after its last start.
   */
  function dueIn(place: Admit): number {
    const before = line.before(place)
    if (before === undefined) return 0
    const rounds = 1 + Math.floor(before / limit)
    return Math.max(0, taken[before % limit]! + rounds * SECOND - clock.now())
  }

  return {
    enter() {
      const { promise: admitted, resolve } = deferred<() => void>()
      line.enter(resolve)
      admit()
      return {
        admitted,
        moveAhead(workspace) {
          line.moveAhead(resolve, workspace)
          return dueIn(resolve)
        },
        leave() {
          line.leave(resolve)
          resolve(() => {})
        },
      }
    },
    open() {
      isOpen = true
      admit()
    },
  }
}
