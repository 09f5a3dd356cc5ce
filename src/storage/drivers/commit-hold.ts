/**
 * Holds the commits of all processes and threads, with a transaction of lmdb that has the write lock and writes
 * nothing.
 *
 * Writes of this thread during that transaction would become a part of it, and would be acknowledged before they are on
 * disk. So they wait here.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'lmdb'
import { deferred } from '../../lib/deferred.ts'
import type { HoldCommits } from '../opening-turn.ts'

export interface CommitHold {
  /**
   * Begins to hold the commits. They are held from the moment at which the promise resolves until the returned function
   * is called.
   */
  begin: HoldCommits
  isHeld(): boolean
  /** Resolves when a commit that waits may continue. */
  end(): Promise<void>
}

export function createCommitHold(db: Pick<Database, 'transaction'>): CommitHold {
  let over: Promise<void> | undefined
  const waiting: (() => void)[] = []

  /**
   * Lets the waiting commits continue, in their order. A commit that is made in the meantime waits as well, so it does
   * not overtake them.
   */
  async function letAllContinue() {
    while (waiting.length > 0) {
      for (const proceed of waiting.splice(0)) proceed()
      await nextTurn()
    }
    over = undefined
  }

  return {
    async begin() {
      while (over !== undefined) await over
      const begun = deferred()
      const released = deferred()
      const transaction = db.transaction(() => {
        begun.resolve()
        return released.promise
      })
      over = transaction.catch(begun.reject).then(letAllContinue)
      await begun.promise
      return () => released.resolve()
    },
    isHeld: () => over !== undefined,
    end: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
