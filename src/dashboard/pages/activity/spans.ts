/**
 * Sums the hourly counts: for each of the last 24 hours, or for each of the last seven days in the time zone of the
 * browser.
 */
import type { ActivityHour } from '../../../domain/dashboard.ts'

export type Window = 'day' | 'week'

export type Span = Omit<ActivityHour, 'at'> & {
  /** Start of the hour or day in epoch ms. */
  at: number
}

const HOUR = 3_600_000

const hourOf = (at: number) => Math.floor(at / HOUR) * HOUR

/**
 * Returns the start of the local day that is `back` days before `now`. A day on which the clocks change has 23 or 25
 * hours.
 */
function dayOf(now: number, back = 0): number {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - back).getTime()
}

/** True if the local hours do not begin with the hours of UTC, for which the messages are counted. */
export const hasPartHours = (now: number): boolean => new Date(now).getTimezoneOffset() % 60 !== 0

const STARTS: Readonly<Record<Window, { of(at: number): number; all(now: number): number[] }>> = {
  day: { of: hourOf, all: (now) => Array.from({ length: 24 }, (_, at) => hourOf(now) - (23 - at) * HOUR) },
  week: { of: (at) => dayOf(at), all: (now) => Array.from({ length: 7 }, (_, at) => dayOf(now, 6 - at)) },
}

export function spansOf(hours: readonly ActivityHour[], window: Window, now: number): Span[] {
  const { of, all } = STARTS[window]
  const spans = all(now).map((at) => ({ at, sent: 0, received: 0, delivered: 0, failed: 0 }))
  const byStart = new Map(spans.map((span) => [span.at, span]))
  for (const { at, ...amounts } of hours) {
    const span = byStart.get(of(Date.parse(at)))
    if (!span) continue
    for (const name of ['sent', 'received', 'delivered', 'failed'] as const) span[name] += amounts[name]
  }
  return spans
}
