/**
 * The memory for answers that this service reads from others. An answer for which there is no memory waits in its
 * connection, because its command was carried out and must not be sent again.
 */
import { deferred } from '../../lib/deferred.ts'

export interface AnswerRoom {
  /**
   * Requests room for an answer of this size. Answers that wait enter in order. A short answer enters at once, so that
   * no slow connection holds it up.
   */
  enter(bytes: number): Place
}

interface Place {
  /** Resolves when the answer may be read. */
  readonly entered: Promise<void>
  /** Must be called once: when the answer has been read, or when its wait has ended without success. */
  leave(): void
}

/** Maximum number of bytes of an answer that needs no room. */
const SHORT = 65_536

export function createAnswerRoom(total: number, short = SHORT): AnswerRoom {
  let left = total
  const line = new Set<{ bytes: number; enter(): void }>()

  function admit() {
    for (const first of line) {
      if (first.bytes > left) return
      line.delete(first)
      left -= first.bytes
      first.enter()
    }
  }

  return {
    enter(bytes) {
      const { promise: entered, resolve: enter } = deferred()
      const entry = { bytes: bytes <= short ? 0 : Math.min(bytes, total), enter }
      if (entry.bytes === 0) {
        enter()
        return { entered, leave() {} }
      }
      line.add(entry)
      admit()
      return {
        entered,
        leave() {
          if (!line.delete(entry)) left += entry.bytes
          admit()
        },
      }
    },
  }
}
