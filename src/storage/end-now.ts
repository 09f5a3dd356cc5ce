/** Ends the process when no orderly stop is possible. */
import type { Log } from '../domain/log.ts'

/**
 * `process.exit` waits for the threads, and a thread that waits for a lock of the store never ends. A kill is safe by design (`test/faults`); an
 * abort would leave a core dump with keys and messages in plain text.
 */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** The store no longer works in this process; the next process opens it in its state on the disk. */
export const endWithStore =
  (log: Log) =>
  (err: unknown): void => {
    log.error(
      { err },
      'The disk failed in a way after which the store can no longer be read or written. The process exits; a new process can continue.',
    )
    endNow()
  }
