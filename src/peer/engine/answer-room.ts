/**
 * The memory for answers of other services that this one is reading. An answer that finds no room waits in its
 * connection, because its command was already carried out and must not be sent again.
 */
import { deferred } from '../../lib/deferred.ts'

export interface AnswerRoom {
  /** Those that wait enter in order. An answer that is longer than the whole room enters alone. */
  enter(bytes: number): Place
}

interface Place {
  /** Resolves when the answer may be read. */
  readonly entered: Promise<void>
  /** Must be called once, also by one that no longer waits. */
  leave(): void
}

export function createAnswerRoom(total: number): AnswerRoom {
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
      const entry = { bytes: Math.min(bytes, total), enter }
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
