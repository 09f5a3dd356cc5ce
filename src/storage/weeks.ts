/**
 * Rows that are grouped by the week in which they were written, so that old weeks are removed without reading the rest.
 */
import { type Clock, DAY } from '../domain/clock.ts'
import type { StateStore } from './contract.ts'
import { removeBefore } from './remove-all.ts'
import type { Sweep } from './retention.ts'

export const WEEK = 7 * DAY

export interface Weeks {
  current(): number
  /**
   * Numbers of the weeks whose rows count. The next week is one of them, because a clock that was ahead may have written
   * rows there.
   */
  kept(): number[]
  removeOld: Sweep
}

/**
 * `all` is the prefix of all weeks, and `of` returns the prefix of one week; prefixes of later weeks must sort later.
 * `back` is the number of earlier weeks that are kept.
 */
export function createWeeks(
  store: Pick<StateStore, 'range' | 'commit'>,
  clock: Clock,
  all: string,
  of: (week: number) => string,
  back: number,
): Weeks {
  const current = () => Math.floor(clock.now() / WEEK)
  return {
    current,
    kept: () => Array.from({ length: back + 2 }, (_, index) => current() + 1 - index),
    removeOld: (isStopped) => removeBefore(store, all, () => of(current() - back), isStopped),
  }
}
