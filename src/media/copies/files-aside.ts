/**
 * Files whose copy failed several times. Each waits for a while, longer after each failure, and other files are copied
 * first.
 */
import { MINUTE, SECOND } from '../../domain/clock.ts'
import type { CopyFailure } from '../../domain/media-copy.ts'

const ASIDE = 15 * SECOND
export const LONGEST_ASIDE = { host: 30 * MINUTE, bucket: MINUTE }
/** Maximum number of files that may wait. A further file keeps its slot in `media-copies.ts` instead. */
const MAX_ASIDE = 1_000

export interface FilesAside {
  isWaiting(key: string): boolean
  /** Makes a file wait for its next attempt. Returns the ms until then; undefined if too many files wait. */
  put(instance: string, key: string, reason: CopyFailure['type']): number | undefined
  remove(key: string): void
  /** Removes all files of an instance. */
  forget(instance: string): void
  tryAll(): void
  stop(): void
}

interface Aside {
  instance: string
  waitMs: number
  timer: NodeJS.Timeout | undefined
}

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
    forget(instance) {
      for (const [key, entry] of aside) {
        if (entry.instance !== instance) continue
        clearTimeout(entry.timer)
        aside.delete(key)
      }
    },
    tryAll() {
      endPauses()
      for (const instance of new Set([...aside.values()].map((entry) => entry.instance))) wake(instance)
    },
    stop: endPauses,
  }
}
