/** An answer in place of work that takes too long. */
import pTimeout from 'p-timeout'

/**
 * The result of `work`, or that of `late` once `ms` are over; `work` then goes on, and its result is ignored. Zero and less mean the
 * next turn of the timers: even without time left, work that is done already gives its result.
 */
export const orLate = <T, L>(work: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> =>
  pTimeout(work, { milliseconds: Math.max(ms, 1), fallback: late })
