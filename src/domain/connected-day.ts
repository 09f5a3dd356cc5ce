/** The states of an instance in the last 24 hours, for a bar. */
import { DAY } from './clock.ts'
import type { StatusChange } from './dashboard.ts'

export interface DayPart {
  /** Beginning and end as shares of the day, 0 to 1. */
  from: number
  to: number
  status: StatusChange['to']
}

/**
 * `changes` are the known changes, the newest first; `now` is in epoch ms. Nothing is known of the time before the
 * oldest change.
 */
export function lastDay(changes: readonly Pick<StatusChange, 'at' | 'to'>[], now: number): DayPart[] {
  const shareOf = (at: number) => Math.min(1, Math.max(0, (at - (now - DAY)) / DAY))
  return changes
    .map(({ at, to }, index) => {
      const next = changes[index - 1]
      return { from: shareOf(Date.parse(at)), to: next ? shareOf(Date.parse(next.at)) : 1, status: to }
    })
    .filter(({ from, to }) => to > from)
    .reverse()
}
