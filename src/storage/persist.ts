/**
 * Stores the outcome of an action that cannot be undone (a sent message, a posted event), and retries while the disk
 * fails.
 */
import { SECOND } from '../domain/clock.ts'
import type { Timer } from './timer.ts'

const FIRST_WAIT = SECOND
const LONGEST_WAIT = 30 * SECOND

export interface PersistOptions {
  timer: Timer
  /** Aborting it ends the retries; the last error is then thrown. */
  signal: AbortSignal
  onFailure(error: unknown, waitMs: number): void
}

export async function persistently<T>(store: () => Promise<T>, { timer, signal, onFailure }: PersistOptions): Promise<T> {
  for (let waitMs: number = FIRST_WAIT; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT)) {
    try {
      return await store()
    } catch (error) {
      if (signal.aborted) throw error
      onFailure(error, waitMs)
      await pause(waitMs, timer, signal)
    }
  }
}

const pause = (ms: number, timer: Timer, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const over = () => {
      pending.cancel()
      signal.removeEventListener('abort', over)
      resolve()
    }
    const pending = timer(ms, over)
    signal.addEventListener('abort', over)
  })
