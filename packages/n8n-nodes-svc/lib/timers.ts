/**
 * Timers that replace those of the client package in the bundle (`build.mjs`), because n8n does not allow community
 * nodes to use `setTimeout`.
 */
import { sleep } from 'n8n-workflow'

/** Waits for `ms`. Rejects with the reason of the signal if the signal is aborted earlier. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  if (signal === undefined) return sleep(ms)
  let leave = () => {}
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
  })
  await Promise.race([sleep(ms), aborted]).finally(() => signal.removeEventListener('abort', leave))
}

/** Calls `run` after this time. The returned function cancels the call. */
export function after(ms: number, run: () => void): () => void {
  const over = AbortSignal.timeout(ms)
  over.addEventListener('abort', run, { once: true })
  return () => over.removeEventListener('abort', run)
}
