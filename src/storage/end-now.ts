/** The end of the process, for when nothing in order can follow. */
import type { Log } from '../domain/log.ts'

/**
 * `process.exit` waits for the threads, and one that waits for a lock of the store never ends. Safe by design (`test/faults`); an abort would leave
 * a dump, with keys and messages in the clear.
 */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** The store serves no thread of this process any more, and the next process opens it as it is on the disk. */
export const endWithStore =
  (log: Log) =>
  (err: unknown): void => {
    log.error(
      { err },
      'The disk failed in a way after which the store can no longer be read or written. The process exits; a new process can continue.',
    )
    endNow()
  }
