/**
 * Resolves with the result of `late` if `work` takes longer than `ms`; the result of `work` is then ignored.
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
