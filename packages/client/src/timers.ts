/**
 * All timers of the package are in this file. A program that has its own timers replaces this file when it bundles the
 * package, as `n8n-nodes-svc` does.
 */

/** Waits for `ms`. Rejects with the reason of the signal if the signal is aborted earlier. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const leave = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }, ms)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

/** Calls `run` after this time. The returned function cancels the call. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
