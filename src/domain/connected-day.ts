/** The states of an instance in the last 24 hours, to draw a bar. */
import { DAY } from './clock.ts'
import type { StatusChange } from './dashboard.ts'

export interface DayPart {
  /** Beginning and end as shares of the counted time, 0 to 1. */
  from: number
  to: number
  status: StatusChange['to']
}

const isConnected = ({ to }: Pick<StatusChange, 'to'>) => to === 'connected'

export interface ConnectedDay {
  /**
   * The beginning of the counted time: 24 hours ago, the first connection of the present pairing, or the oldest
   * change that is kept.
   */
  begins: 'day' | 'paired' | 'known'
  /** Epoch ms. */
  since: number
  parts: DayPart[]
}

/**
 * Returns the states of the last 24 hours; undefined if nothing is known. `changes` are the known changes, the newest
 * first; `ownNow` is in epoch ms by a clock that may be slow. The time before the first connection of the present
 * pairing is not counted, because nobody expects a connection before an instance is paired.
 */
export function lastDay(changes: readonly Pick<StatusChange, 'at' | 'from' | 'to'>[], ownNow: number): ConnectedDay | undefined {
  const oldest = changes.at(-1)
  if (!oldest) return undefined
  const now = Math.max(ownNow, Date.parse(changes[0]!.at))
  const logout = changes.findIndex(({ to }, index) => to === 'logged_out' && changes.slice(0, index).some(isConnected))
  const isPairingKnown = logout >= 0 || oldest.from === null
  const connected = isPairingKnown ? changes.slice(0, logout < 0 ? undefined : logout).findLast(isConnected) : undefined
  const first = Date.parse((connected ?? oldest).at)
  const since = Math.max(first, now - DAY)
  const shareOf = (at: number) => Math.min(1, Math.max(0, (at - since) / Math.max(1, now - since)))
  const parts = changes
    .map(({ at, to }, index) => {
      const next = changes[index - 1]
      return { from: shareOf(Date.parse(at)), to: next ? shareOf(Date.parse(next.at)) : 1, status: to }
    })
    .filter(({ from, to }) => to > from)
    .reverse()
  return { begins: since > first ? 'day' : connected ? 'paired' : 'known', since, parts }
}
