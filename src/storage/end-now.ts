/** Ends the process when no orderly stop is possible. */
import type { Log } from '../domain/log.ts'

/**
 * `process.exit` waits for the threads, and a thread that waits for a lock of the store never ends. `process.abort`
 * would leave a core dump with keys and messages.
 */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** The store can no longer be used in this process. The next process continues from the stored state. */
export const endWithStore =
  (log: Log) =>
  (err: unknown, sentence: string): void => {
    log.error({ err }, `${sentence} The process exits; a new process can continue.`)
    endNow()
  }
