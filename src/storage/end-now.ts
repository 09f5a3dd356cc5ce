/** Ends the process when no orderly stop is possible. */
import type { Log } from '../domain/log.ts'

/**
 * Kills the process. `process.exit` waits for the threads, and a thread that waits for a lock of the store never ends. A kill at any time is safe
 * (`test/faults`). `process.abort` is not used, because it would leave a core dump with keys and messages in plain text.
 */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Ends the process because the store can no longer be used in it. The next process continues from the stored state. */
export const endWithStore =
  (log: Log) =>
  (err: unknown, sentence: string): void => {
    log.error({ err }, `${sentence} The process exits; a new process can continue.`)
    endNow()
  }
