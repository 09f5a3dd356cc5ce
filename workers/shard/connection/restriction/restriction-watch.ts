/**
 * Watches the network's reach-out lock: for some time the account may not write to new people, and every attempt counts
 * against it. The lock is queried after each login, after a refusal with 463, and at its announced end. If no end was
 * announced, it is queried every minute.
 */
import type { Logger } from 'pino'
import { type Clock, MINUTE, SECOND } from '../../../../src/domain/clock.ts'
import type { Restriction } from '../../../../src/domain/instance.ts'
import { systemTimer, type Timer } from '../../../../src/storage/timer.ts'
import { type ReachOutLock, reachOutLock } from '../../wire/reach-out-lock.ts'
import type { Mex } from '../mex.ts'
import { QUERY_DEADLINE } from '../within.ts'

/** Interval in ms of the queries, as in the official web client, if a lock has no announced end, or one that passed. */
const ASK_AGAIN = MINUTE
/** Time in ms between the announced end and the query, because the network's clock differs from ours. */
const GRACE = SECOND

export interface RestrictionWatch {
  current(): Restriction | null
  refresh(): Promise<void>
  lockChanged(lock: ReachOutLock): void
  stop(): void
}

export interface RestrictionDeps {
  clock: Clock
  log: Logger
  timer?: Timer
  known: Restriction | null
  onChange(restriction: Restriction | null): void
}

export function watchRestriction(
  mex: Mex,
  { clock, log, timer = systemTimer, known, onChange }: RestrictionDeps,
): RestrictionWatch {
  let current = known
  let alarm: { cancel(): void } | undefined
  let isStopped = false

  function set(next: Restriction | null) {
    current = next
    onChange(next)
    lookIn(next)
  }

  function lookIn(next: Restriction | null) {
    alarm?.cancel()
    alarm = undefined
    if (next === null || isStopped) return
    const left = next.until === null ? ASK_AGAIN : next.until - clock.now() + GRACE
    alarm = timer(left > 0 ? left : ASK_AGAIN, () => void lookAgain())
  }

  /**
   * Queries the lock again. If the lock ends later than the longest delay of a timer, the timer has fired early and is
   * set again.
   */
  async function lookAgain() {
    const { until } = current ?? {}
    if (until && until > clock.now()) return lookIn(current)
    if (await ask()) return
    // Without an answer, a lock whose announced end has passed counts as ended.
    if (current?.until && current.until <= clock.now()) set(null)
    else lookIn(current)
  }

  async function ask(): Promise<boolean> {
    try {
      lockChanged(reachOutLock(await mex('FetchReachoutTimelock', {}, QUERY_DEADLINE)))
      return true
    } catch (error) {
      log.info({ err: error }, 'the network did not answer whether the account may write to new people')
      return false
    }
  }

  function lockChanged(lock: ReachOutLock) {
    if (isStopped) return
    set(lock.isActive ? { kind: 'reach_out', until: lock.endsAtSeconds === null ? null : lock.endsAtSeconds * SECOND } : null)
  }

  return {
    lockChanged,
    current: () => current,
    async refresh() {
      if (!(await ask())) lookIn(current)
    },
    stop() {
      isStopped = true
      alarm?.cancel()
    },
  }
}
