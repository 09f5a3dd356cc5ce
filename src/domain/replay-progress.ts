/**
 * Progress of a resend of the events in a time range, as far as the webhook log shows it. The log counts the pending
 * events of a range, but it does not record which of them a resend has scheduled.
 */
import type { LogStatus } from './webhook-log.ts'

export interface ReplayProgress {
  /** Number of events that were scheduled again, in all requests for this range. */
  queued: number
  /**
   * How many of the scheduled events are still pending. Undefined if this is not known, because other events of the
   * range were pending too.
   */
  waiting: number | undefined
  /** Number of consecutive counts that found no pending event. */
  emptyCounts: number
  /** Time of the first event that the last request left out; null if it scheduled all events. */
  nextFrom: string | null
}

/**
 * Number of consecutive empty counts after which a resend is done. One is not enough: a count can miss an event that
 * moves between the lists of the log.
 */
const EMPTY_COUNTS_UNTIL_DONE = 2

/**
 * True if a resend of events with this status also schedules the pending events of its range. A later count then
 * contains no other event.
 */
export const takesAllPending = (status: LogStatus | undefined) => status === undefined || status === 'pending'

/**
 * Returns the progress after a request for a resend. `othersPending` is the number of pending events of the range that
 * the request did not schedule.
 */
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

/**
 * Returns the progress after a count. `pending` is the number of pending events in the part of the range that was
 * scheduled.
 */
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

/** Returns the range without the time after `now`, because events that happen later are not part of the resend. */
export const untilNow = <T extends Period>(range: T, now: number): T =>
  Date.parse(range.to) > now ? { ...range, to: new Date(now).toISOString() } : range

/** Returns the part of the range before `nextFrom`, whose events were scheduled. */
export const takenOf = <T extends Period>(range: T, nextFrom: string | null): T =>
  nextFrom === null ? range : { ...range, to: new Date(Date.parse(nextFrom) - 1).toISOString() }
