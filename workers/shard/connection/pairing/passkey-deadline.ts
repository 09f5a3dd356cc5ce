import type { Clock } from '../../../../src/domain/clock.ts'

export type PasskeyDeadline = ReturnType<typeof createPasskeyDeadline>

export function createPasskeyDeadline(clock: Clock) {
  let endsAt = clock.now()
  let timer: NodeJS.Timeout | undefined
  return {
    set(ms: number, onTimeout?: () => void) {
      clearTimeout(timer)
      endsAt = clock.now() + ms
      if (onTimeout) timer = setTimeout(onTimeout, ms)
    },
    /** Clears only the timer; `leftMs` still returns the time until the deadline. */
    clear: () => clearTimeout(timer),
    leftMs: () => endsAt - clock.now(),
  }
}
