/**
 * Allows at most `limit` session starts in any second per network route. There is no pause between two starts, so the
 * first starts begin at the same time.
 */
import { type Clock, SECOND } from '../domain/clock.ts'

/** A place in the line of starts. */
export interface StartPlace {
  /** Resolves when the session may start. The returned function must be called if no session was started. */
  readonly admitted: Promise<() => void>
  /** Moves this place to the head of the line, behind those that were moved there before. */
  moveAhead(): void
}

export interface StartGate {
  /** Admits in the order of the calls. */
  enter(): StartPlace
  open(): void
}

export function createStartGate(limit: number, clock: Clock): StartGate {
  type Admit = (giveBack: () => void) => void
  let taken: number[] = []
  const ahead: Admit[] = []
  const waiting: Admit[] = []
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

  const isEmpty = () => ahead.length + waiting.length === 0

  function admit() {
    const now = clock.now()
    // If the clock was set back, a stored time is in the future. It is ignored, so that no start waits longer than a
    // second.
    taken = taken.filter((at) => at > now - SECOND && at <= now)
    while (!isEmpty() && (isOpen || taken.length < limit)) (ahead.shift() ?? waiting.shift())!(take())
    clearTimeout(timer)
    if (!isEmpty()) timer = setTimeout(admit, Math.max(1, taken[0]! + SECOND - now))
  }

  return {
    enter() {
      let enter: Admit | undefined
      const admitted = new Promise<() => void>((resolve) => {
        enter = resolve
        waiting.push(resolve)
        admit()
      })
      return {
        admitted,
        moveAhead() {
          const index = waiting.indexOf(enter!)
          if (index >= 0) ahead.push(...waiting.splice(index, 1))
        },
      }
    },
    open() {
      isOpen = true
      admit()
    },
  }
}
