/** An answer in place of work that takes too long. */
import pTimeout from 'p-timeout'

/**
 * What `work` gives, or what `late` says once `ms` are over; the work goes on then, and its end is nobody's matter. Zero and less is the
 * next turn of the timers: whoever has no time left still hears of work that is done already.
 */
export const orLate = <T, L>(work: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> =>
  pTimeout(work, { milliseconds: Math.max(ms, 1), fallback: late })
