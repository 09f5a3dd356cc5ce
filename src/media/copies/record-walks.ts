/**
 * Goes through the records of files to copy, one pass at a time per instance. A pass is repeated if records were added
 * during it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'

/** Milliseconds before a pass that has failed is repeated. */
const STORE_PAUSE = 5 * SECOND

export interface RecordWalks {
  wake(instance: string): void
  /** Resolves when no pass is running. Must be called after `signal` was aborted. */
  ended(): Promise<void>
}

/** `pass` goes once through the records of an instance. If it rejects, it is repeated. */
export function createRecordWalks(pass: (instance: string) => Promise<void>, signal: AbortSignal, log: Log): RecordWalks {
  const walks = new Map<string, { hasMore: boolean; ended: Promise<void> }>()

  async function walk(instance: string): Promise<void> {
    const own = walks.get(instance)!
    while (own.hasMore && !signal.aborted) {
      own.hasMore = false
      try {
        await pass(instance)
      } catch (error) {
        if (signal.aborted) break
        log.error({ instance, err: error }, 'the records of received files could not be used; they are read again')
        own.hasMore = true
        await wait(STORE_PAUSE, undefined, { signal }).catch(() => {})
      }
    }
    walks.delete(instance)
  }

  return {
    wake(instance) {
      const own = walks.get(instance)
      if (own) own.hasMore = true
      if (own || signal.aborted) return
      const begun = { hasMore: true, ended: Promise.resolve() }
      walks.set(instance, begun)
      begun.ended = walk(instance)
    },
    async ended() {
      await Promise.all([...walks.values()].map(({ ended }) => ended))
    },
  }
}
