import { SECOND } from '../../../src/domain/clock.ts'
import type { RuntimeState, Status, StatusReason } from '../../../src/domain/instance.ts'
import { type Chance, type Effect, FRESH_RUN, type Lifecycle, type LifecycleEvent, type Run, type TimerName } from './contract.ts'

export type Of<T extends LifecycleEvent['type']> = Extract<LifecycleEvent, { type: T }>

export interface Step {
  status: Status
  reason: StatusReason | null
  state?: Partial<RuntimeState>
  run?: Partial<Run>
  effects?: Effect[]
}

const RETRY_DELAYS = [1, 2, 4, 8, 16, 30, 60].map((seconds) => seconds * SECOND)
const RETRY_DELAY_LAST = 120 * SECOND
const JITTER = 0.2

/**
 * Returns the delay before attempt number `attempt` (0 is the first retry): 1, 2, 4, 8, 16, 30, 60, then 120 s, each
 * within 20 % of it.
 */
export function retryDelay(attempt: number, random: number): number {
  const base = RETRY_DELAYS[attempt] ?? RETRY_DELAY_LAST
  return Math.round(base * (1 + JITTER * (2 * random - 1)))
}

const REASON_BY_CODE: Readonly<Record<number, StatusReason>> = {
  400: 'connect_failure',
  405: 'client_outdated',
  408: 'connection_lost',
  409: 'connect_failure',
  415: 'connect_failure',
  418: 'connect_failure',
  428: 'connection_closed',
  503: 'service_unavailable',
}

const dropReason = (code: number | null): StatusReason =>
  code === null ? 'stream_error' : (REASON_BY_CODE[code] ?? 'stream_error')

export const timer = (name: TimerName, delayMs: number): Effect => ({ do: 'timer', name, delayMs })
export const open = (fresh = false): Effect => ({ do: 'open', fresh })
const retryAfter = (at: Lifecycle, chance: Chance) => timer('retry', retryDelay(at.run.attempt, chance.random))

/** Keeps the status and its reason. The other parts of the step, such as a retry, are in `more`. */
export const staying = ({ state: { status, reason } }: Lifecycle, more: Omit<Step, 'status' | 'reason'>): Step => ({
  status,
  reason,
  ...more,
})

/**
 * Logs in with the existing credentials, after a ban, a stop, a pause or a move (rows 26, 30 and `resumed` of the state
 * table).
 */
export const logIn = (): Step => ({
  status: 'connecting',
  reason: null,
  state: { bannedUntil: null },
  run: FRESH_RUN,
  effects: [open()],
})

/** Starts a pairing with new credentials (rows 2, 29, 31 and P6 of the state table). */
export const startFresh = (effects: Effect[] = []): Step => ({
  status: 'starting',
  reason: null,
  state: { paired: false, bannedUntil: null },
  run: FRESH_RUN,
  effects: [...effects, { do: 'eraseCredentials' }, open(true)],
})

export const loggedOut = (reason: StatusReason, state: Partial<RuntimeState> = {}): Step => ({
  status: 'logged_out',
  reason,
  state: { paired: false, connectedAt: null, restriction: null, ...state },
  run: FRESH_RUN,
  effects: [{ do: 'close' }, { do: 'eraseCredentials' }],
})

export const stopped = (reason: StatusReason, effects: Effect[] = []): Step => ({
  status: 'stopped',
  reason,
  run: FRESH_RUN,
  effects: [{ do: 'close' }, ...effects],
})

/**
 * Retries after a delay, because a paired instance has lost its connection, or a retry has failed (rows 14 and 15 of
 * the state table).
 */
export function dropped(at: Lifecycle, event: Of<'closed'>, chance: Chance): Step {
  const wasConnected = at.state.status === 'connected'
  const attempt = wasConnected ? 0 : at.run.attempt
  const outdated = event.code === 405
  return {
    status: 'disconnected',
    reason: dropReason(event.code),
    state: at.state.disconnectedAt === null ? { disconnectedAt: chance.now } : {},
    run: {
      attempt: attempt + 1,
      failedStarts: 0,
      badSessions: event.code === 500 ? at.run.badSessions + (wasConnected ? 0 : 1) : 0,
      outdated: outdated ? at.run.outdated + 1 : 0,
    },
    effects: [
      { do: 'close' },
      ...(outdated ? [{ do: 'refreshVersion' } as const] : []),
      timer('retry', retryDelay(attempt, chance.random)),
    ],
  }
}

export const reopen = (at: Lifecycle, chance: Chance, run: Partial<Run> = {}): Step =>
  staying(at, { run: { attempt: at.run.attempt + 1, ...run }, effects: [{ do: 'close' }, retryAfter(at, chance)] })

/** Makes the next attempt use another client version if the code is 405, which means that the version is too old. */
export const withVersion = ({ code }: Of<'closed'>, step: Step): Step =>
  code === 405 ? { ...step, effects: [{ do: 'refreshVersion' }, ...(step.effects ?? [])] } : step
