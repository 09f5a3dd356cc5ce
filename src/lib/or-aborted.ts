/**
 * Settles as `work` does, or rejects with the reason of the signal if it is aborted first. `work` then continues, and
 * `late` gets its result.
 */
export const orAborted = <T>(work: Promise<T>, signal: AbortSignal, late: (result: T) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      work.then(late, () => {})
      reject(signal.reason)
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject)
  })
