/**
 * Progress of a resend of a range, as far as the webhook log shows it. The log counts the pending events of a range; it
 * does not record which of them a resend has scheduled.
 */
import type { LogStatus } from './webhook-log.ts'

export interface ReplayProgress {
  /** Number of events that were scheduled again, in all requests for this range. */
  queued: number
  /** How many of them are still pending. Undefined if it cannot be told, because other events of the range were pending too. */
  waiting: number | undefined
  /** Consecutive counts that found no pending event. */
  emptyCounts: number
  /** Time of the first event that the last request left out; null if it took all. */
  nextFrom: string | null
}

/** An event that moves between the lists of the log during a count can be missed once. */
const EMPTY_COUNTS_UNTIL_DONE = 2

/** A resend of these schedules every pending event of its range, so a later count contains no other event. */
export const takesAllPending = (status: LogStatus | undefined) => status === undefined || status === 'pending'

/** `othersPending`: pending events of the range that the request did not schedule. */
export function afterReplay(
  before: ReplayProgress | undefined,
  { queued, nextFrom, othersPending }: { queued: number; nextFrom: string | null; othersPending: number },
): ReplayProgress {
  const isCountable = othersPending === 0 && (before === undefined || before.waiting !== undefined)
  return {
    queued: (before?.queued ?? 0) + queued,
    waiting: isCountable ? (before?.waiting ?? 0) + queued : undefined,
    emptyCounts: 0,
    nextFrom,
  }
}

/** `pending`: the pending events in the part of the range that was taken. */
export function afterCount(progress: ReplayProgress, pending: number): ReplayProgress {
  if (progress.waiting === undefined) return progress
  if (pending > 0) return { ...progress, waiting: Math.min(progress.queued, pending), emptyCounts: 0 }
  const emptyCounts = progress.emptyCounts + 1
  return { ...progress, waiting: emptyCounts < EMPTY_COUNTS_UNTIL_DONE ? progress.waiting : 0, emptyCounts }
}

interface Period {
  from: string
  to: string
}

/** Without the time after `now`: events that happen later are not part of the resend. */
export const untilNow = <T extends Period>(range: T, now: number): T =>
  Date.parse(range.to) > now ? { ...range, to: new Date(now).toISOString() } : range

/** The events before `nextFrom`. */
export const takenOf = <T extends Period>(range: T, nextFrom: string | null): T =>
  nextFrom === null ? range : { ...range, to: new Date(Date.parse(nextFrom) - 1).toISOString() }
