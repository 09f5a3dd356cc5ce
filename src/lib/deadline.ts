/** Returns another result when a promise takes too long. */

/**
 * Resolves with the result of `work`, or with that of `late` after `ms`; `work` then continues and its result is ignored. Zero or less means the next
 * timer turn, so work that has already finished still gives its result.
 *
 * p-timeout is not used, because it creates an error with a stack for each deadline, even for those that are met.
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
