/** An answer in place of work that takes too long. */

/**
 * The result of `work`, or that of `late` once `ms` are over; `work` then goes on, and its result is ignored. Zero and less mean the
 * next turn of the timers: even without time left, work that is done already gives its result.
 *
 * Not by p-timeout, which makes an error with its stack for each deadline, also for those that are met.
 */
export const orLate = <T, L>(work: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        try {
          resolve(late())
        } catch (error) {
          reject(error)
        }
      },
      Math.max(ms, 1),
    )
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
