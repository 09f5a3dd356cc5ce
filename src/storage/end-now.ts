/** Ends the process when no orderly stop is possible. */
import type { Log } from '../domain/log.ts'

/**
 * Kills this process. `process.exit` would wait for a thread that waits for a lock of the store and never ends.
 * `process.abort` would leave a core dump with keys and messages.
 */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/**
 * Logs the error and kills this process, which can no longer use the store. The next process continues from the stored
 * state.
 */
export const endWithStore =
  (log: Log) =>
  (err: unknown, sentence: string): void => {
    log.error({ err }, `${sentence} The process exits; a new process can continue.`)
    endNow()
  }
