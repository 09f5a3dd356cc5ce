/** Files whose copy failed several times. Each of them waits for a while, longer after each failure, and other files are copied first. */
import { MINUTE, SECOND } from '../../domain/clock.ts'
import type { CopyFailure } from '../../domain/media-copy.ts'

/**
 * Time in ms that a file waits when it is put aside for the first time. The next constant has the longest waits: after a failure of the network's
 * host, and after a failure of the bucket.
 */
const ASIDE = 15 * SECOND
export const LONGEST_ASIDE = { host: 30 * MINUTE, bucket: MINUTE }
/** Maximum number of files that are put aside. Further files stay in their order among the others, so that the memory is bounded. */
const MAX_ASIDE = 1_000

export interface FilesAside {
  /** Whether the file still waits before its next attempt. */
  isWaiting(key: string): boolean
  /** Puts a file aside. Returns the number of ms for which it waits; undefined if too many files are put aside. */
  put(instance: string, key: string, reason: CopyFailure['type']): number | undefined
  /** Forgets a file, because its copy succeeded or will not be tried again. */
  remove(key: string): void
  /** Lets all files be tried again immediately. */
  tryAll(): void
  stop(): void
}

interface Aside {
  instance: string
  waitMs: number
  timer: NodeJS.Timeout | undefined
}

/** Creates an empty set of files. `wake` is called when a file of the instance may be tried again. */
export function createFilesAside(wake: (instance: string) => void): FilesAside {
  const aside = new Map<string, Aside>()

  function endPauses() {
    for (const entry of aside.values()) {
      clearTimeout(entry.timer)
      entry.timer = undefined
    }
  }

  return {
    isWaiting: (key) => aside.get(key)?.timer !== undefined,
    put(instance, key, reason) {
      const before = aside.get(key)
      if (before === undefined && aside.size >= MAX_ASIDE) return undefined
      const waitMs = before === undefined ? ASIDE : Math.min(before.waitMs * 2, LONGEST_ASIDE[reason])
      const entry: Aside = { instance, waitMs, timer: undefined }
      entry.timer = setTimeout(() => {
        entry.timer = undefined
        wake(instance)
      }, waitMs)
      entry.timer.unref()
      aside.set(key, entry)
      return waitMs
    },
    remove: (key) => void aside.delete(key),
    tryAll() {
      endPauses()
      for (const instance of new Set([...aside.values()].map((entry) => entry.instance))) wake(instance)
    },
    stop: endPauses,
  }
}
