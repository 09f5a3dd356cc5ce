/** Rows that are grouped by the week in which they were written, so that old weeks are removed without reading the rest. */
import { type Clock, DAY } from '../domain/clock.ts'
import type { Op, StateStore } from './contract.ts'
import { REMOVED_AT_ONCE } from './remove-all.ts'

export const WEEK = 7 * DAY

export interface Weeks {
  /** The current week. */
  current(): number
  /**
   * Returns the weeks in which a row may be. The next week is included, because a clock that was ahead may have written
   * the row.
   */
  kept(): number[]
  removeOld(isStopped: () => boolean): Promise<void>
}

/**
 * Creates the groups. `all` is the prefix of all weeks; `of` returns the prefix of one week, which sorts after those of
 * earlier weeks; `back` is the number of weeks before the current one that are kept.
 */
export function createWeeks(
  store: Pick<StateStore, 'range' | 'commit'>,
  clock: Clock,
  all: string,
  of: (week: number) => string,
  back = 1,
): Weeks {
  const current = () => Math.floor(clock.now() / WEEK)
  return {
    current,
    kept: () => Array.from({ length: back + 2 }, (_, index) => current() + 1 - index),
    async removeOld(isStopped) {
      const end = of(current() - back)
      while (!isStopped()) {
        const ops: Op[] = []
        for await (const [key] of store.range(all, { limit: REMOVED_AT_ONCE })) if (key < end) ops.push([key, null])
        if (ops.length === 0) return
        await store.commit({ ops })
      }
    },
  }
}
