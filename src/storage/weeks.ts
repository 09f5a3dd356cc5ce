/** Rows that lie by the week of their writing. Weeks that are too old are removed without looking at the rest. */
import { type Clock, DAY } from '../domain/clock.ts'
import type { Op, StateStore } from './contract.ts'
import { REMOVED_AT_ONCE } from './remove-all.ts'

export const WEEK = 7 * DAY

export interface Weeks {
  /** Of now. */
  current(): number
  /** Weeks in which a row may lie; the next one, too: written by a clock that was ahead. */
  kept(): number[]
  removeOld(isStopped: () => boolean): Promise<void>
}

/** `all`: prefix of all weeks; `of`: that of one, which sorts behind those before; `back`: how many weeks before the current one are kept. */
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
