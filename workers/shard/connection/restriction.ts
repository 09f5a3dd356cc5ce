/**
 * The network's reach-out lock: for a while the account may not write to new people, and every try counts against it. The network tells
 * of it by itself, and answers when it is asked: once after each login, after a refusal with 463, which alone does not say which of its two
 * meanings it has (shared/api/messages.md, 1.6), and when the lock should have ended: it is over when that is known.
 */
import type { WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import type { Restriction } from '../../../src/domain/instance.ts'
import { systemTimer, type Timer } from '../../../src/storage/timer.ts'
import { bounded } from '../baileys/query.ts'

const QUERY_DEADLINE = 20 * SECOND
/** A lock whose end is not told, or that lasts longer than was told, is asked about again after this, as the official web client does. */
const ASK_AGAIN = MINUTE
/** The network's clock and ours are not the same: at the end it is asked a little later. */
const GRACE = SECOND

export interface RestrictionWatch {
  current(): Restriction | null
  /** Asks the network. Keeps what was known when there is no answer. */
  refresh(): Promise<void>
  /** The network has said so by itself. */
  told(lock: { isActive: boolean; endsAtSeconds: number | null }): void
  stop(): void
}

export interface RestrictionDeps {
  clock: Clock
  log: Logger
  timer?: Timer
  /** What was known when the session was opened. */
  known: Restriction | null
  onChange(restriction: Restriction | null): void
}

type Socket = Pick<WASocket, 'ev' | 'fetchAccountReachoutTimelock'>

export function watchRestriction(
  sock: Socket,
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

  /** A timer that is longer than any may be comes early: it is set again then. */
  async function lookAgain() {
    const { until } = current ?? {}
    if (until && until > clock.now()) return lookIn(current)
    if (await ask()) return
    // Nobody answers: the date that was told has passed, which is as good as any answer. Without one it is asked for again.
    if (current?.until && current.until <= clock.now()) set(null)
    else lookIn(current)
  }

  sock.ev.on('connection.update', ({ reachoutTimeLock: lock }) => {
    if (!lock || isStopped) return
    // A date that cannot be read is one that was not told.
    set(lock.isActive ? { kind: 'reach_out', until: lock.timeEnforcementEnds?.getTime() || null } : null)
  })

  /** False: there was no answer. One comes as an event, too, which is where it is taken. */
  async function ask(): Promise<boolean> {
    try {
      await bounded(QUERY_DEADLINE, () => sock.fetchAccountReachoutTimelock())
      return true
    } catch (error) {
      log.info({ err: error }, 'the reach-out lock could not be asked for')
      return false
    }
  }

  return {
    told({ isActive, endsAtSeconds }) {
      if (!isStopped) set(isActive ? { kind: 'reach_out', until: endsAtSeconds === null ? null : endsAtSeconds * SECOND } : null)
    },
    current: () => current,
    async refresh() {
      // Without an answer now, one is asked for again while there is a lock.
      if (!(await ask())) lookIn(current)
    },
    stop() {
      isStopped = true
      alarm?.cancel()
    },
  }
}
