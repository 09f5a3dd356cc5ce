/**
 * The network's reach-out lock: for a while the account may not write to new people, and every try counts against it. The network tells
 * of it by itself, and answers when it is asked: once after each login, and after a refusal with 463, which alone does not say which of
 * its two meanings it has (shared/api/messages.md, 1.6).
 */
import type { WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { bounded } from '../baileys/query.ts'

const QUERY_DEADLINE = 20 * SECOND
/** A lock whose end the network does not tell: asked about again after this, as the official web client does. */
const UNKNOWN_END = MINUTE

export interface Restriction {
  /** End of the lock, epoch ms; null while there is none. */
  until(): number | null
  /** Asks the network. Keeps what was known when there is no answer. */
  refresh(): Promise<void>
}

export interface RestrictionDeps {
  clock: Clock
  log: Logger
  /** Also when it is the same again. */
  onChange(until: number | null): void
}

export function watchRestriction(
  sock: Pick<WASocket, 'ev' | 'fetchAccountReachoutTimelock'>,
  { clock, log, onChange }: RestrictionDeps,
): Restriction {
  let end: number | null = null

  sock.ev.on('connection.update', ({ reachoutTimeLock: lock }) => {
    if (!lock) return
    // A date that cannot be read is one that was not told.
    end = lock.isActive ? lock.timeEnforcementEnds?.getTime() || clock.now() + UNKNOWN_END : null
    onChange(end)
  })

  return {
    until: () => (end !== null && end > clock.now() ? end : null),
    async refresh() {
      try {
        // The answer comes as an event, too, which is where it is taken.
        await bounded(QUERY_DEADLINE, () => sock.fetchAccountReachoutTimelock())
      } catch (error) {
        log.info({ err: error }, 'the reach-out lock could not be asked for')
      }
    },
  }
}
