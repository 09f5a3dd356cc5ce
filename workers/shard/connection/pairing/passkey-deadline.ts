/** Keeps the deadline of the next step of a passkey ceremony. */
import type { Clock } from '../../../../src/domain/clock.ts'

export type PasskeyDeadline = ReturnType<typeof createPasskeyDeadline>

/** Creates the deadline. `clock` must not step. */
export function createPasskeyDeadline(clock: Clock) {
  let endsAt = clock.now()
  let timer: NodeJS.Timeout | undefined
  return {
    /**
     * Replaces the deadline. With `onTimeout`, it is called at the deadline. Without it, this object sets no timer, because the state table
     * (`lifecycle/`) has the timer.
     */
    set(ms: number, onTimeout?: () => void) {
      clearTimeout(timer)
      endsAt = clock.now() + ms
      if (onTimeout) timer = setTimeout(onTimeout, ms)
    },
    /** Clears the timer, so nothing happens at the deadline. The deadline is still reported. */
    clear: () => clearTimeout(timer),
    leftMs: () => endsAt - clock.now(),
  }
}
