/**
 * An instance's status as one table of moves: `shared/api/states.md`, row by row. Pure: what happened goes in, the next state and the
 * effects to carry out come out. `workers/shard/instance.ts` is the only caller and the only writer of `status`: it commits the state,
 * then runs the effects, then announces one `instance_status` when the status changed.
 */
import { MINUTE, SECOND } from '../domain/clock.ts'
import type { RuntimeState, Status, StatusReason } from '../domain/instance.ts'

/** What is remembered of the current run only; a new process starts with `FRESH_RUN`. */
export interface Run {
  /** Sockets opened since the last successful login; decides the next delay. */
  attempt: number
  /** Failures in a row without an open, per kind that has an end (rows 5, 17, 18). */
  failedStarts: number
  badSessions: number
  outdated: number
  /** Paired in this run and not open yet: a 401 now means that the pairing failed (row 9). */
  firstLogin: boolean
}

export const FRESH_RUN: Run = { attempt: 0, failedStarts: 0, badSessions: 0, outdated: 0, firstLogin: false }

export interface Lifecycle {
  state: RuntimeState
  run: Run
}

export type LifecycleEvent =
  | { type: 'created' }
  | { type: 'booted' }
  | { type: 'socketOpened' }
  | { type: 'qrShown' }
  /** The phone accepted the code; credentials are saved. */
  | { type: 'paired'; phone: string | null; platform: string | null }
  | { type: 'opened'; phone: string | null; profileName: string | null; platform: string | null }
  /** The person changed the name, or the phone told it for the first time. */
  | { type: 'nameChanged'; profileName: string }
  /** `code`: `lastDisconnect.error.output.statusCode`, null when there is none. `expireSeconds`: of a 402. */
  | { type: 'closed'; code: number | null; message: string; expireSeconds: number | null }
  /** The proxy refused, no handshake within 20 s, HTTP error in place of the upgrade, or the store could not be read. */
  | { type: 'startFailed'; cause: 'proxy' | 'handshake' | 'store' }
  | { type: 'restartRequested' }
  | { type: 'qrRequested' }
  | { type: 'disconnectRequested' }
  /** The network asks for a passkey, which no linked device of ours can give. */
  | { type: 'passkeyRequested' }
  | { type: 'timer'; name: TimerName }

/** `retry`: next attempt. `pairing`: no 515 after the scan. `qrIdle`: nobody reads the QR. `ban`: end of a temporary ban. */
export type TimerName = 'retry' | 'pairing' | 'qrIdle' | 'ban'

export type Effect =
  /** Start a session. `fresh`: with new credentials, whatever was saved. */
  | { do: 'open'; fresh: boolean }
  /** End the socket without logging out. */
  | { do: 'close' }
  /** Tell the network to remove this device, wait for the close, end the socket. */
  | { do: 'logout' }
  | { do: 'eraseCredentials' }
  | { do: 'refreshVersion' }
  /** Sets the named timer anew. A change of status clears all of them, `close` clears `retry` and `pairing`, `open` clears `retry`. */
  | { do: 'timer'; name: TimerName; delayMs: number }

export interface Move {
  /** Row of `states.md`, for logs and tests. */
  row: string
  next: Lifecycle
  effects: Effect[]
}

/** What the rules need from outside: the time, and a number in [0, 1). */
export interface Chance {
  now: number
  random: number
}

const RETRY_DELAYS = [1, 2, 4, 8, 16, 30, 60].map((seconds) => seconds * SECOND)
const RETRY_DELAY_LAST = 120 * SECOND
const JITTER = 0.2
const QR_IDLE = 10 * MINUTE
const PAIRING_DEADLINE = 60 * SECOND
/** More restarts in a row than this without an open are no longer "expected once after pairing". */
const RESTARTS_IN_A_ROW = 5
/** A temporary ban that carries no end: ask again after an hour rather than never. */
const BAN_WITHOUT_END = 60 * MINUTE

/** Delay before attempt number `attempt` (0 is the first retry): 1, 2, 4, 8, 16, 30, 60, then 120 s, each within 20 % of it. */
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

type Of<T extends LifecycleEvent['type']> = Extract<LifecycleEvent, { type: T }>
interface Step {
  status: Status
  reason: StatusReason | null
  /** Other fields that change. */
  state?: Partial<RuntimeState>
  run?: Partial<Run>
  effects?: Effect[]
}
interface Row {
  row: string
  from: readonly Status[]
  on: LifecycleEvent['type']
  when?: (at: Lifecycle, event: never) => boolean
  then: (at: Lifecycle, event: never, chance: Chance) => Step
}

/** Keeps each row's event type exact while the table holds them all. */
function row<T extends LifecycleEvent['type']>(
  name: string,
  from: readonly Status[],
  on: T,
  then: (at: Lifecycle, event: Of<T>, chance: Chance) => Step,
  when?: (at: Lifecycle, event: Of<T>) => boolean,
): Row {
  return { row: name, from, on, then, ...(when ? { when } : {}) } as Row
}

const timer = (name: TimerName, delayMs: number): Effect => ({ do: 'timer', name, delayMs })
const open = (fresh = false): Effect => ({ do: 'open', fresh })
const retryAfter = (at: Lifecycle, chance: Chance) => timer('retry', retryDelay(at.run.attempt, chance.random))

const isPaired = (at: Lifecycle) => at.state.paired
const isNotPaired = (at: Lifecycle) => !at.state.paired
const hasCode =
  (...codes: number[]) =>
  (_: Lifecycle, event: Of<'closed'>) =>
    event.code !== null && codes.includes(event.code)

const LIVE = ['connected', 'connecting', 'disconnected'] as const
/** With credentials, `starting` is as good as `connecting`: a drop there must be retried, never end the instance. */
const LIVE_OR_STARTING = [...LIVE, 'starting'] as const

/** Start over without credentials: rows 2, 29, 31. */
const startFresh = (effects: Effect[] = []): Step => ({
  status: 'starting',
  reason: null,
  state: { paired: false },
  run: FRESH_RUN,
  effects: [...effects, { do: 'eraseCredentials' }, open(true)],
})

const loggedOut = (reason: StatusReason, state: Partial<RuntimeState> = {}): Step => ({
  status: 'logged_out',
  reason,
  state: { paired: false, connectedAt: null, ...state },
  run: FRESH_RUN,
  effects: [{ do: 'close' }, { do: 'eraseCredentials' }],
})

const stopped = (reason: StatusReason, effects: Effect[] = []): Step => ({
  status: 'stopped',
  reason,
  run: FRESH_RUN,
  effects: [{ do: 'close' }, ...effects],
})

/** A lost link of a paired instance: rows 14 and 15, and every failed retry after them. */
function dropped(at: Lifecycle, event: Of<'closed'>, chance: Chance): Step {
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

/** The same state again after a delay: rows 5 and 12. */
const reopen = (at: Lifecycle, chance: Chance, run: Partial<Run> = {}): Step => ({
  status: at.state.status,
  reason: at.state.reason,
  run: { attempt: at.run.attempt + 1, ...run },
  effects: [{ do: 'close' }, retryAfter(at, chance)],
})

/** A 405 says that the client version is too old: another one is chosen before the next try. */
const withVersion = ({ code }: Of<'closed'>, step: Step): Step =>
  code === 405 ? { ...step, effects: [{ do: 'refreshVersion' }, ...(step.effects ?? [])] } : step

const START_TRIES = 3
const isLastStart = (at: Lifecycle) => at.run.failedStarts + 1 >= START_TRIES

const ROWS: readonly Row[] = [
  row('2', ['created'], 'created', () => startFresh()),

  // A process that starts again.
  row(
    '32',
    ['qr', ...LIVE_OR_STARTING],
    'booted',
    () => ({ status: 'starting', reason: 'engine_restart', run: FRESH_RUN, effects: [open()] }),
    isPaired,
  ),
  row(
    '33',
    ['qr', ...LIVE_OR_STARTING],
    'booted',
    () => ({ status: 'stopped', reason: 'engine_restart', effects: [{ do: 'eraseCredentials' }] }),
    isNotPaired,
  ),
  row(
    'kept: ban timer',
    ['banned'],
    'booted',
    (at, _, { now }) => ({
      status: 'banned',
      reason: 'temporarily_banned',
      effects: [timer('ban', Math.max(0, (at.state.bannedUntil ?? now) - now))],
    }),
    (at) => at.state.reason === 'temporarily_banned',
  ),

  // Pairing.
  row('3', ['starting'], 'qrShown', () => ({
    status: 'qr',
    reason: 'pairing_required',
    run: { failedStarts: 0 },
    effects: [timer('qrIdle', QR_IDLE)],
  })),
  // A later code does not restart the idle clock: only somebody who reads it does.
  row('3: next code', ['qr'], 'qrShown', () => ({ status: 'qr', reason: 'pairing_required', run: { attempt: 0 } })),
  row('11: read', ['qr'], 'qrRequested', () => ({
    status: 'qr',
    reason: 'pairing_required',
    effects: [timer('qrIdle', QR_IDLE)],
  })),
  row('6', ['qr', 'starting'], 'paired', (_, { phone, platform }) => ({
    status: 'connecting',
    reason: null,
    state: { paired: true, phone, platform },
    run: { ...FRESH_RUN, firstLogin: true },
    effects: [timer('pairing', PAIRING_DEADLINE)],
  })),
  row('18 of the library', ['qr', 'connecting'], 'passkeyRequested', () => loggedOut('pairing_failed')),
  row(
    '11',
    ['qr'],
    'timer',
    () => stopped('qr_timeout', [{ do: 'eraseCredentials' }]),
    (_, { name }) => name === 'qrIdle',
  ),
  row(
    '13',
    ['qr', 'starting'],
    'closed',
    () => stopped('multidevice_mismatch'),
    (at, event) => isNotPaired(at) && event.code === 411,
  ),
  row(
    '10',
    ['qr'],
    'closed',
    () => ({
      status: 'qr',
      reason: 'pairing_required',
      run: { attempt: 0 },
      effects: [{ do: 'close' }, open(true)],
    }),
    (_, event) => event.code === 408 && event.message.includes('QR refs attempts ended'),
  ),
  row('12', ['qr'], 'closed', (at, event, chance) => withVersion(event, reopen(at, chance))),
  row('12: no handshake', ['qr'], 'startFailed', (at, _, chance) => reopen(at, chance)),

  // A session that does not come about: three tries in a row. A paired one that only finds no network goes on trying (row 14).
  row(
    '5: proxy',
    ['starting', 'connecting'],
    'startFailed',
    () => stopped('proxy_error'),
    (at, { cause }) => cause === 'proxy' && isLastStart(at),
  ),
  row(
    '5: store',
    ['starting', 'connecting', 'disconnected'],
    'startFailed',
    () => stopped('start_failed'),
    (at, { cause }) => cause === 'store' && isLastStart(at),
  ),
  row(
    '5',
    ['starting'],
    'startFailed',
    () => stopped('start_failed'),
    (at) => isNotPaired(at) && isLastStart(at),
  ),
  row(
    '5: again',
    ['starting', 'connecting'],
    'startFailed',
    (at, _, chance) => reopen(at, chance, { failedStarts: at.run.failedStarts + 1 }),
    (at, { cause }) => isNotPaired(at) || cause !== 'handshake',
  ),
  row(
    '5: again',
    ['disconnected'],
    'startFailed',
    (at, _, chance) => reopen(at, chance, { failedStarts: at.run.failedStarts + 1 }),
    (_, { cause }) => cause === 'store',
  ),
  row(
    '5',
    ['starting'],
    'closed',
    () => stopped('start_failed'),
    (at) => isNotPaired(at) && isLastStart(at),
  ),
  row(
    '5: again',
    ['starting'],
    'closed',
    (at, event, chance) => withVersion(event, reopen(at, chance, { failedStarts: at.run.failedStarts + 1 })),
    isNotPaired,
  ),

  // Logging in.
  row('4', ['starting'], 'socketOpened', () => ({ status: 'connecting', reason: null }), isPaired),
  row('8', LIVE_OR_STARTING, 'opened', (_, { phone, profileName, platform }, { now }) => ({
    status: 'connected',
    reason: null,
    state: { phone, profileName, platform, connectedAt: now, disconnectedAt: null, bannedUntil: null },
    run: FRESH_RUN,
  })),
  row(
    '8: name',
    LIVE_OR_STARTING,
    'nameChanged',
    (at, { profileName }) => ({ status: at.state.status, reason: at.state.reason, state: { profileName } }),
    (at, { profileName }) => isPaired(at) && at.state.profileName !== profileName,
  ),
  row(
    '7',
    ['connecting', 'starting'],
    'closed',
    (at) => ({
      status: at.state.status,
      reason: at.state.reason,
      run: { attempt: at.run.attempt + 1 },
      effects: [{ do: 'close' }, open()],
    }),
    (at, event) => isPaired(at) && event.code === 515 && at.run.attempt < RESTARTS_IN_A_ROW,
  ),
  row(
    '9',
    ['connecting'],
    'closed',
    () => loggedOut('pairing_failed'),
    (at, event) => at.run.firstLogin && event.code === 401,
  ),
  row(
    '9: no restart',
    ['connecting'],
    'timer',
    () => loggedOut('pairing_failed'),
    (at, { name }) => name === 'pairing' && at.run.firstLogin,
  ),

  // What ends a paired session for good.
  row(
    '17',
    ['disconnected'],
    'closed',
    () => stopped('bad_session'),
    (at, event) => event.code === 500 && at.run.badSessions + 1 >= 5,
  ),
  row(
    '18',
    ['disconnected'],
    'closed',
    () => stopped('client_outdated'),
    (at, event) => event.code === 405 && at.run.outdated + 1 >= 3,
  ),
  row('19', LIVE_OR_STARTING, 'closed', () => stopped('connection_replaced'), hasCode(440)),
  row('20', LIVE_OR_STARTING, 'closed', () => loggedOut('logged_out'), hasCode(401)),
  row('23', LIVE_OR_STARTING, 'closed', () => loggedOut('account_locked'), hasCode(403)),
  row(
    '24',
    LIVE_OR_STARTING,
    'closed',
    () => ({
      status: 'banned',
      reason: 'banned',
      state: { paired: false },
      run: FRESH_RUN,
      effects: [{ do: 'close' }, { do: 'eraseCredentials' }],
    }),
    hasCode(406),
  ),
  row(
    '25',
    LIVE_OR_STARTING,
    'closed',
    (_, { expireSeconds }, { now }) => {
      const delayMs = expireSeconds === null ? BAN_WITHOUT_END : expireSeconds * SECOND
      return {
        status: 'banned',
        reason: 'temporarily_banned',
        state: { bannedUntil: now + delayMs },
        run: FRESH_RUN,
        effects: [{ do: 'close' }, timer('ban', delayMs)],
      }
    },
    hasCode(402),
  ),
  row('27', LIVE_OR_STARTING, 'closed', () => loggedOut('multidevice_mismatch'), hasCode(411)),
  row(
    '26',
    ['banned'],
    'timer',
    () => ({ status: 'connecting', reason: null, state: { bannedUntil: null }, run: FRESH_RUN, effects: [open()] }),
    (_, { name }) => name === 'ban',
  ),

  // Lost links and their retries.
  row('14, 15', LIVE_OR_STARTING, 'closed', dropped),
  row('14, 15: no handshake', ['connecting', 'disconnected', 'starting'], 'startFailed', (at, _, chance) =>
    dropped(at, { type: 'closed', code: 408, message: 'no handshake', expireSeconds: null }, chance),
  ),
  row(
    'retry',
    ['starting', 'qr', 'connecting', 'disconnected'],
    'timer',
    (at) => ({ status: at.state.status, reason: at.state.reason, effects: [open()] }),
    (_, { name }) => name === 'retry',
  ),

  // What the owner asks for.
  row('21', LIVE, 'disconnectRequested', (at) => {
    const step = loggedOut('logout_requested', { phone: null })
    return at.state.status === 'connected' ? { ...step, effects: [{ do: 'logout' }, ...(step.effects ?? [])] } : step
  }),
  row('22', ['qr', 'starting', 'stopped', 'banned'], 'disconnectRequested', () =>
    loggedOut('logout_requested', { phone: null, bannedUntil: null }),
  ),
  row(
    '28',
    LIVE_OR_STARTING,
    'restartRequested',
    () => ({ status: 'connecting', reason: 'restarting', run: FRESH_RUN, effects: [{ do: 'close' }, open()] }),
    isPaired,
  ),
  row('29', ['qr', 'starting', ...LIVE], 'restartRequested', () => startFresh([{ do: 'close' }]), isNotPaired),
  ...(['restartRequested', 'qrRequested'] as const).flatMap((on) => [
    row(
      '30',
      ['stopped', 'banned'],
      on,
      () => ({ status: 'connecting', reason: null, state: { bannedUntil: null }, run: FRESH_RUN, effects: [open()] }),
      isPaired,
    ),
    // A credential that an erase left behind (a full disk) is no pairing any more: it goes with the fresh start.
    row('31', ['created', 'logged_out'], on, () => startFresh()),
    row('31', ['stopped', 'banned'], on, () => startFresh(), isNotPaired),
  ]),
]

/** The move for an event, or null when the event means nothing in this state (row 22a, a late timer, a second open). */
export function next(at: Lifecycle, event: LifecycleEvent, chance: Chance): Move | null {
  const found = ROWS.find(
    (candidate) =>
      candidate.on === event.type &&
      candidate.from.includes(at.state.status) &&
      (candidate.when === undefined || candidate.when(at, event as never)),
  )
  if (!found) return null
  const step = found.then(at, event as never, chance)
  const leaving = at.state.status === 'connected' && step.status !== 'connected' ? { disconnectedAt: chance.now } : {}
  return {
    row: found.row,
    next: {
      state: { ...at.state, ...leaving, ...step.state, status: step.status, reason: step.reason },
      run: { ...at.run, ...step.run },
    },
    effects: step.effects ?? [],
  }
}
