import type { TimerName } from './contract.ts'

/** Timers of the state table: at most one per name. */
export interface Timers {
  /** Sets the timer with this name. If it is running, it starts again. */
  set(name: TimerName, delayMs: number): void
  /** Clears the timers with these names, or all timers if no name is given. */
  clear(...names: TimerName[]): void
  /** Clears all timers, and refuses new ones, because a timer would keep the thread alive. */
  stop(): void
}

/** Longest delay of a timer (24.8 days). With a longer delay, such as for a long ban, `setTimeout` would fire immediately. */
const LONGEST_TIMER = 2 ** 31 - 1

export function createTimers(fire: (name: TimerName) => void): Timers {
  const timers = new Map<TimerName, NodeJS.Timeout>()
  let isStopped = false

  function clear(...names: TimerName[]) {
    for (const name of names.length > 0 ? names : [...timers.keys()]) {
      clearTimeout(timers.get(name))
      timers.delete(name)
    }
  }

  function set(name: TimerName, delayMs: number) {
    clear(name)
    if (isStopped) return
    const left = delayMs - LONGEST_TIMER
    timers.set(
      name,
      setTimeout(() => (left > 0 ? set(name, left) : fire(name)), Math.min(delayMs, LONGEST_TIMER)),
    )
  }

  return {
    set,
    clear,
    stop() {
      isStopped = true
      clear()
    },
  }
}
