/** Ends the process when no orderly stop is possible. */
import type { Log } from '../domain/log.ts'

/**
 * `process.exit` waits for the threads, and a thread that waits for a lock of the store never ends. A kill is safe by design (`test/faults`); an
 * abort would leave a core dump with keys and messages in plain text.
 */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** The store no longer works in this process; the next process opens it in the state that was stored. */
export const endWithStore =
  (log: Log) =>
  (err: unknown, sentence: string): void => {
    log.error({ err }, `${sentence} The process exits; a new process can continue.`)
    endNow()
  }
