import type { TimerName } from './contract.ts'

export interface Timers {
  set(name: TimerName, delayMs: number): void
  clear(...names: TimerName[]): void
  isSet(name: TimerName): boolean
  /** Clears all timers, and refuses new ones, because a timer would keep the thread alive. */
  stop(): void
}

/**
 * Maximum delay in ms of `setTimeout`. With a longer delay, such as for a long ban, it would fire
 * immediately.
 */
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
      setTimeout(
        () => {
          timers.delete(name)
          if (left > 0) set(name, left)
          else fire(name)
        },
        Math.min(delayMs, LONGEST_TIMER),
      ),
    )
  }

  return {
    set,
    clear,
    isSet: (name) => timers.has(name),
    stop() {
      isStopped = true
      clear()
    },
  }
}
