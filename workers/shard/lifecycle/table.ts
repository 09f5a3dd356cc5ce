/**
 * The state table of an instance. The input of a row is an event, the output is the next state and its effects.
 * `status.ts` commits and announces the state, and then runs the effects.
 */
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import type { Status } from '../../../src/domain/instance.ts'
import { type Chance, FRESH_RUN, type Lifecycle, type LifecycleEvent, type Move } from './contract.ts'
import {
  dropped,
  loggedOut,
  logIn,
  type Of,
  open,
  reopen,
  retryDelay,
  type Step,
  startFresh,
  staying,
  stopped,
  timer,
  withVersion,
} from './steps.ts'

const QR_IDLE = 10 * MINUTE
const PAIRING_DEADLINE = 60 * SECOND
const PASSKEY_LIFE = 10 * MINUTE
/** Maximum time in ms between an accepted assertion and the link. */
const PASSKEY_CONFIRMATION = 6 * MINUTE
const RESTARTS_IN_A_ROW = 5
const BAN_WITHOUT_END = 60 * MINUTE
/**
 * Numbers of consecutive failures after which no further attempt is made: failed starts (row 5), closes with code 500
 * (row 17), and refused versions (row 18, `OUTDATED`).
 */
const START_TRIES = 3
const BAD_SESSIONS = 5
/** Attempt number for `retryDelay` while the store cannot be read: each delay is then about 2 s. */
const STORE_RETRY = 1
const OUTDATED = 3
/**
 * Maximum number of times that a session of the previous service may end ours after a takeover. That service may have
 * been paused right before a login, and continue at any time.
 */
const REPLACED = 3

interface Row {
  row: string
  from: readonly Status[]
  on: LifecycleEvent['type']
  when?: (at: Lifecycle, event: never, chance: Chance) => boolean
  then: (at: Lifecycle, event: never, chance: Chance) => Step
}

/** Builds a row. It is checked with the exact type of its event, although the table contains rows of all types. */
function row<T extends LifecycleEvent['type']>(
  name: string,
  from: readonly Status[],
  on: T,
  then: (at: Lifecycle, event: Of<T>, chance: Chance) => Step,
  when?: (at: Lifecycle, event: Of<T>, chance: Chance) => boolean,
): Row {
  return { row: name, from, on, then, ...(when ? { when } : {}) } as Row
}

const isPaired = (at: Lifecycle) => at.state.paired
const isNotPaired = (at: Lifecycle) => !at.state.paired
const isMoved = (at: Lifecycle) => at.state.reason === 'moved'
const isPaused = (at: Lifecycle) => at.state.reason === 'paused'
const isOurs = (at: Lifecycle) => isPaired(at) && !isMoved(at)
const isLastStart = (at: Lifecycle) => at.run.failedStarts + 1 >= START_TRIES
const isLastUnpairedStart = (at: Lifecycle) => isNotPaired(at) && isLastStart(at)
const startAgain = (at: Lifecycle, chance: Chance) => reopen(at, chance, { failedStarts: at.run.failedStarts + 1 })
const withoutPhone = ({ state }: Lifecycle) => ({ phone: null, loggedOutPhone: state.phone ?? state.loggedOutPhone })
const hasCode =
  (...codes: number[]) =>
  (_: Lifecycle, event: Of<'closed'>) =>
    event.code !== null && codes.includes(event.code)

const LIVE = ['connected', 'connecting', 'disconnected'] as const
/** With credentials, `starting` is handled like `connecting`: a lost connection must not end the instance. */
const LIVE_OR_STARTING = [...LIVE, 'starting'] as const

const linked = (_: Lifecycle, { phone, platform }: Of<'paired'>): Step => ({
  status: 'connecting',
  reason: null,
  state: { paired: true, phone, platform, restriction: null, importedAt: null },
  run: { ...FRESH_RUN, firstLogin: true },
  effects: [timer('pairing', PAIRING_DEADLINE)],
})

const passkeyRequired = (lifeMs: number): Step => ({
  status: 'connecting',
  reason: 'passkey_required',
  effects: [timer('passkey', Math.min(lifeMs, PASSKEY_LIFE))],
})

const ROWS: readonly Row[] = [
  row('2', ['created'], 'created', () => startFresh()),

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

  row('3', ['starting'], 'qrShown', () => ({
    status: 'qr',
    reason: 'pairing_required',
    run: { failedStarts: 0 },
    effects: [timer('qrIdle', QR_IDLE)],
  })),
  // A later QR code does not restart the idle timer, but a request for a QR code does (row 11).
  row('3: next code', ['qr'], 'qrShown', () => ({ status: 'qr', reason: 'pairing_required', run: { attempt: 0 } })),
  row('11: read', ['qr'], 'qrRequested', () => ({
    status: 'qr',
    reason: 'pairing_required',
    effects: [timer('qrIdle', QR_IDLE)],
  })),
  row('6', ['qr', 'starting'], 'paired', linked),
  row('P4', ['connecting'], 'paired', linked, isNotPaired),

  row('P1', ['qr', 'connecting'], 'passkeyAsked', (_, { lifeMs }) => passkeyRequired(lifeMs), isNotPaired),
  row(
    'P2',
    ['connecting'],
    'passkeyAccepted',
    () => ({ status: 'connecting', reason: 'passkey_confirmation', effects: [timer('passkey', PASSKEY_CONFIRMATION)] }),
    isNotPaired,
  ),
  row('P3', ['connecting'], 'passkeyTryAgain', (_, { lifeMs }) => passkeyRequired(lifeMs), isNotPaired),
  row('P5', ['connecting'], 'passkeyEnded', () => loggedOut('pairing_failed'), isNotPaired),
  row(
    'P5: time is over',
    ['connecting'],
    'timer',
    () => loggedOut('pairing_failed'),
    (at, { name }) => isNotPaired(at) && name === 'passkey',
  ),
  // A pairing with a passkey starts over when the socket closes for any reason.
  row('P6', ['connecting'], 'closed', () => startFresh([{ do: 'close' }]), isNotPaired),
  row('P6: no connection', ['connecting'], 'startFailed', () => startFresh([{ do: 'close' }]), isNotPaired),
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
  // The reason is shown until the next QR code.
  row('12: refused', ['qr'], 'closed', (at, _, chance) => ({ ...reopen(at, chance), reason: 'pairing_failed' }), hasCode(401)),
  row('12', ['qr'], 'closed', (at, event, chance) => withVersion(event, reopen(at, chance))),
  row('12: no connection', ['qr'], 'startFailed', (at, _, chance) => reopen(at, chance)),

  // The third failed start in a row stops the instance, if the proxy or the store caused it. An instance that is not
  // paired is stopped whatever the cause. A paired instance that cannot reach the network tries forever (row 14).
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
  // An unreachable database does not count as a failed start, and the delay does not grow.
  row(
    '5: store away',
    ['starting', 'connecting', 'disconnected'],
    'startFailed',
    (at, _, chance) => staying(at, { effects: [{ do: 'close' }, timer('retry', retryDelay(STORE_RETRY, chance.random))] }),
    (at, { cause }) => isPaired(at) && cause === 'storeAway',
  ),
  row('5', ['starting'], 'startFailed', () => stopped('start_failed'), isLastUnpairedStart),
  row(
    '5: again',
    ['starting', 'connecting'],
    'startFailed',
    (at, _, chance) => startAgain(at, chance),
    (at, { cause }) => isNotPaired(at) || cause !== 'handshake',
  ),
  row(
    '5: again',
    ['disconnected'],
    'startFailed',
    (at, _, chance) => startAgain(at, chance),
    (_, { cause }) => cause === 'store',
  ),
  row('5', ['starting'], 'closed', () => stopped('start_failed'), isLastUnpairedStart),
  row('5: again', ['starting'], 'closed', (at, event, chance) => withVersion(event, startAgain(at, chance)), isNotPaired),

  row('4', ['starting'], 'socketOpened', () => ({ status: 'connecting', reason: null }), isPaired),
  // A disconnection right after an accepted login is not a failed login. On a busy machine the first queries can take
  // too long, and growing delays would keep the account offline for minutes.
  row(
    '8: accepted',
    LIVE_OR_STARTING,
    'loggedIn',
    (at) => staying(at, { run: { attempt: 0, failedStarts: 0, outdated: 0 }, effects: [{ do: 'networkReached' }] }),
    (at) => isPaired(at) && at.run.attempt + at.run.failedStarts + at.run.outdated > 0,
  ),
  row(
    '8',
    LIVE_OR_STARTING,
    'opened',
    (at, { phone, profileName, platform }, { now }) => ({
      status: 'connected',
      reason: null,
      state: { phone, profileName, platform, connectedAt: now, disconnectedAt: null, bannedUntil: null },
      run: { ...FRESH_RUN, replaced: at.run.replaced },
    }),
    isPaired,
  ),
  // A server that logs in a device without an account is not the real network. `SVC_NETWORK_VERIFY=warn` accepts any
  // server.
  row(
    '5: no account',
    ['starting', 'qr', 'connecting'],
    'opened',
    () => stopped('start_failed', [{ do: 'eraseCredentials' }]),
    isNotPaired,
  ),
  row(
    '8: name',
    LIVE_OR_STARTING,
    'nameChanged',
    (at, { profileName }) => staying(at, { state: { profileName } }),
    (at, { profileName }) => isPaired(at) && at.state.profileName !== profileName,
  ),
  row(
    'restricted',
    LIVE_OR_STARTING,
    'restrictionChanged',
    (at, { restriction }) => staying(at, { state: { restriction } }),
    isPaired,
  ),
  row(
    '7',
    ['connecting', 'starting'],
    'closed',
    (at) =>
      staying(at, {
        run: { attempt: at.run.attempt + 1, restarts: at.run.restarts + 1 },
        effects: [{ do: 'close' }, open()],
      }),
    (at, event) => isPaired(at) && event.code === 515 && at.run.restarts < RESTARTS_IN_A_ROW,
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

  // Rows for events that end a paired session. After most of them, the instance does not log in again by itself.
  row(
    '17',
    ['disconnected'],
    'closed',
    () => stopped('bad_session'),
    (at, event) => event.code === 500 && at.run.badSessions + 1 >= BAD_SESSIONS,
  ),
  row(
    '18',
    ['disconnected'],
    'closed',
    () => stopped('client_outdated'),
    (at, event) => event.code === 405 && at.run.outdated + 1 >= OUTDATED,
  ),
  // The session of the previous service replaced ours. That service can no longer store its status and does not log in
  // again, so this one does.
  row(
    '19: after a takeover',
    LIVE_OR_STARTING,
    'closed',
    (at, event, chance) => {
      const step = dropped(at, event, chance)
      return { ...step, run: { ...step.run, replaced: at.run.replaced + 1 } }
    },
    (at, { code }, { isTakenOver }) => isPaired(at) && code === 440 && isTakenOver && at.run.replaced < REPLACED,
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
  row('26', ['banned'], 'timer', logIn, (_, { name }) => name === 'ban'),

  row('14, 15', LIVE_OR_STARTING, 'closed', dropped),
  row('14, 15: no connection', ['connecting', 'disconnected', 'starting'], 'startFailed', (at, _, chance) =>
    dropped(at, { type: 'closed', code: 408, message: 'the connection could not be opened', expireSeconds: null }, chance),
  ),
  row(
    'retry',
    ['starting', 'qr', 'connecting', 'disconnected'],
    'timer',
    (at) => staying(at, { effects: [open()] }),
    (_, { name }) => name === 'retry',
  ),

  row('21', LIVE, 'disconnectRequested', (at) => {
    const step = loggedOut('logout_requested', withoutPhone(at))
    return at.state.status === 'connected' ? { ...step, effects: [{ do: 'logout' }, ...(step.effects ?? [])] } : step
  }),
  row('22', ['qr', 'starting', 'stopped', 'banned'], 'disconnectRequested', (at) =>
    loggedOut('logout_requested', { ...withoutPhone(at), bannedUntil: null }),
  ),
  row('22: pairing', ['starting', 'qr', 'connecting'], 'pairingEndRequested', (at) =>
    loggedOut('pairing_ended', { ...withoutPhone(at), bannedUntil: null }),
  ),
  row(
    '28',
    LIVE_OR_STARTING,
    'restartRequested',
    () => ({ status: 'connecting', reason: 'restarting', run: FRESH_RUN, effects: [{ do: 'close' }, open()] }),
    isPaired,
  ),
  row('29', ['qr', 'starting', ...LIVE], 'restartRequested', () => startFresh([{ do: 'close' }]), isNotPaired),
  // Two programs with the same device take the connection from each other. So a moved instance starts again only if its
  // owner requests it.
  row('moved', [...LIVE_OR_STARTING, 'stopped', 'banned'], 'moveRequested', () => stopped('moved'), isOurs),
  // A stopped instance is not paused, because the reason of its stop would no longer be shown.
  row('paused', LIVE_OR_STARTING, 'pauseRequested', () => stopped('paused'), isOurs),
  row('resumed', ['stopped'], 'resumeRequested', logIn, (at) => isMoved(at) || isPaused(at)),
  ...(['restartRequested', 'qrRequested'] as const).flatMap((on) => [
    // A request for a QR code does not end a pause, because programs and pages repeat such requests all the time.
    row('30', ['stopped', 'banned'], on, logIn, (at) => isOurs(at) && !(on === 'qrRequested' && isPaused(at))),
    // If the disk was full during an erasure, credentials can be left. A fresh start removes them.
    row('31', ['created', 'logged_out'], on, () => startFresh()),
    row('31', ['stopped', 'banned'], on, () => startFresh(), isNotPaired),
  ]),
]

export function next(at: Lifecycle, event: LifecycleEvent, chance: Chance): Move | null {
  const found = ROWS.find(
    (candidate) =>
      candidate.on === event.type &&
      candidate.from.includes(at.state.status) &&
      (candidate.when === undefined || candidate.when(at, event as never, chance)),
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
