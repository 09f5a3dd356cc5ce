import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREATED, type RuntimeState, STATUSES, type Status, type StatusReason } from '../../../src/domain/instance.ts'
import {
  type Effect,
  FRESH_RUN,
  type Lifecycle,
  type LifecycleEvent,
  type Move,
  type Run,
  type TimerName,
} from '../../../workers/shard/lifecycle/contract.ts'
import { next } from '../../../workers/shard/lifecycle/table.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const at = (status: Status, state: Partial<RuntimeState> = {}, run: Partial<Run> = {}): Lifecycle => ({
  state: { ...CREATED, status, ...state },
  run: { ...FRESH_RUN, ...run },
})
const paired = (status: Status, state: Partial<RuntimeState> = {}, run: Partial<Run> = {}) =>
  at(status, { paired: true, phone: '5511999990000', platform: 'android', ...state }, run)
const closed = (code: number | null, message = '', expireSeconds: number | null = null): LifecycleEvent => ({
  type: 'closed',
  code,
  message,
  expireSeconds,
})
const opened: LifecycleEvent = { type: 'opened', phone: '5511999990000', profileName: 'Support', platform: 'android' }
const renamed: LifecycleEvent = { type: 'nameChanged', profileName: 'Sales' }
const scanned: LifecycleEvent = { type: 'paired', phone: '5511999990000', platform: 'android' }
const asked = (what: 'restart' | 'qr' | 'disconnect' | 'pairingEnd' | 'move' | 'pause' | 'resume'): LifecycleEvent => ({
  type: `${what}Requested`,
})
const timer = (name: TimerName): LifecycleEvent => ({ type: 'timer', name })
const failed = (cause: 'proxy' | 'handshake' | 'store' | 'storeAway'): LifecycleEvent => ({ type: 'startFailed', cause })

const move = (from: Lifecycle, event: LifecycleEvent, random = 0.5, isTakenOver = false) =>
  next(from, event, { now: NOW, random, isTakenOver })
const short = (effects: readonly Effect[]) =>
  effects.map((effect) => {
    if (effect.do === 'timer') return `${effect.name} ${effect.delayMs}`
    return effect.do === 'open' && effect.fresh ? 'open fresh' : effect.do
  })

/** A row of the test. `outcome` is the new status with its reason and effects, as `told` writes them. */
type Case = [row: string, from: Lifecycle, on: LifecycleEvent, outcome: string, state?: Partial<RuntimeState>]
const told = ({ next: { state }, effects }: Move) => `${state.status} ${state.reason} (${short(effects).join(', ')})`

const LIVE = ['connected', 'connecting', 'disconnected'] as const
const each = <T>(values: readonly T[], make: (value: T) => Case) => values.map(make)

/** Disconnect codes, each with the reason that the service must report. */
const DROPS: [number | null, StatusReason][] = [
  [428, 'connection_closed'],
  [408, 'connection_lost'],
  [503, 'service_unavailable'],
  [500, 'stream_error'],
  [501, 'stream_error'],
  [515, 'stream_error'],
  [null, 'stream_error'],
  [400, 'connect_failure'],
  [409, 'connect_failure'],
  [415, 'connect_failure'],
  [418, 'connect_failure'],
]

/** State after a phone has scanned the code, if its account requires a passkey. */
const WITH_PASSKEY = at('connecting', { reason: 'passkey_required' })
const CONFIRMING = at('connecting', { reason: 'passkey_confirmation' })
const passkeyAsked: LifecycleEvent = { type: 'passkeyAsked', lifeMs: 500_000 }

const CASES: Case[] = [
  ['2', at('created'), { type: 'created' }, 'starting null (eraseCredentials, open fresh)'],
  ['3', at('starting'), { type: 'qrShown' }, 'qr pairing_required (qrIdle 600000)'],
  ['3: next code', at('qr'), { type: 'qrShown' }, 'qr pairing_required ()'],
  ['4', paired('starting'), { type: 'socketOpened' }, 'connecting null ()'],
  ['5: proxy', at('starting', {}, { failedStarts: 2 }), failed('proxy'), 'stopped proxy_error (close)'],
  ['5: store', paired('starting', {}, { failedStarts: 2 }), failed('store'), 'stopped start_failed (close)', { paired: true }],
  ...each(['starting', 'connecting', 'disconnected'] as const, (status) => [
    '5: store away',
    paired(status, {}, { failedStarts: 2, attempt: 6 }),
    failed('storeAway'),
    `${status} null (close, retry 2000)`,
    { paired: true },
  ]),
  ['5', at('starting', {}, { failedStarts: 2 }), failed('handshake'), 'stopped start_failed (close)'],
  ['5', at('starting', {}, { failedStarts: 2 }), closed(408), 'stopped start_failed (close)'],
  ['6', at('qr'), scanned, 'connecting null (pairing 60000)', { paired: true, phone: '5511999990000', platform: 'android' }],
  [
    'P1',
    at('qr', { reason: 'pairing_required' }),
    passkeyAsked,
    'connecting passkey_required (passkey 500000)',
    { paired: false },
  ],
  ['P1', WITH_PASSKEY, passkeyAsked, 'connecting passkey_required (passkey 500000)'],
  ['P1', WITH_PASSKEY, { type: 'passkeyAsked', lifeMs: 3_600_000 }, 'connecting passkey_required (passkey 600000)'],
  ['P2', WITH_PASSKEY, { type: 'passkeyAccepted' }, 'connecting passkey_confirmation (passkey 360000)'],
  ...each([WITH_PASSKEY, CONFIRMING], (from) => [
    'P3',
    from,
    { type: 'passkeyTryAgain', lifeMs: 600_000 },
    'connecting passkey_required (passkey 600000)',
  ]),
  ...each([WITH_PASSKEY, CONFIRMING], (from) => [
    'P4',
    from,
    scanned,
    'connecting null (pairing 60000)',
    { paired: true, phone: '5511999990000', platform: 'android' },
  ]),
  ...[WITH_PASSKEY, CONFIRMING].flatMap((from): Case[] => [
    ['P5', from, { type: 'passkeyEnded' }, 'logged_out pairing_failed (close, eraseCredentials)'],
    ['P5: time is over', from, timer('passkey'), 'logged_out pairing_failed (close, eraseCredentials)'],
    ...[...DROPS.map(([code]) => code), 401, 402, 403, 405, 406, 411, 440].map(
      (code): Case => ['P6', from, closed(code), 'starting null (close, eraseCredentials, open fresh)', { paired: false }],
    ),
    ...(['proxy', 'handshake', 'store', 'storeAway'] as const).map(
      (cause): Case => ['P6: no connection', from, failed(cause), 'starting null (close, eraseCredentials, open fresh)'],
    ),
    ['29', from, asked('restart'), 'starting null (close, eraseCredentials, open fresh)'],
    ['21', from, asked('disconnect'), 'logged_out logout_requested (close, eraseCredentials)'],
    ['22: pairing', from, asked('pairingEnd'), 'logged_out pairing_ended (close, eraseCredentials)'],
    ['33', from, { type: 'booted' }, 'stopped engine_restart (eraseCredentials)'],
  ]),
  ['7', paired('connecting'), closed(515), 'connecting null (close, open)'],
  ...each([...LIVE, 'starting'] as const, (status) => [
    '8',
    paired(status, { disconnectedAt: 1 }, { attempt: 4, badSessions: 3, outdated: 2 }),
    opened,
    'connected null ()',
    { connectedAt: NOW, disconnectedAt: null, profileName: 'Support', phone: '5511999990000', platform: 'android' },
  ]),
  ...each(['starting', 'qr', 'connecting'] as const, (status) => [
    '5: no account',
    at(status),
    opened,
    'stopped start_failed (close, eraseCredentials)',
    { paired: false, phone: null, connectedAt: null },
  ]),
  ...each([...LIVE, 'starting'] as const, (status) => [
    '8: name',
    paired(status, { profileName: 'Support' }),
    renamed,
    `${status} null ()`,
    { profileName: 'Sales' },
  ]),
  [
    '9',
    paired('connecting', {}, { firstLogin: true }),
    closed(401),
    'logged_out pairing_failed (close, eraseCredentials)',
    { paired: false },
  ],
  [
    '9: no restart',
    paired('connecting', {}, { firstLogin: true }),
    timer('pairing'),
    'logged_out pairing_failed (close, eraseCredentials)',
    { paired: false },
  ],
  [
    '10',
    at('qr', { reason: 'pairing_required' }),
    closed(408, 'QR refs attempts ended'),
    'qr pairing_required (close, open fresh)',
  ],
  ['11: read', at('qr'), asked('qr'), 'qr pairing_required (qrIdle 600000)'],
  ['11', at('qr'), timer('qrIdle'), 'stopped qr_timeout (close, eraseCredentials)'],
  ...each([428, 503, 500, 408], (code) => [
    '12',
    at('qr', { reason: 'pairing_required' }),
    closed(code),
    'qr pairing_required (close, retry 1000)',
  ]),
  ['12', at('qr', { reason: 'pairing_required' }), closed(405), 'qr pairing_required (refreshVersion, close, retry 1000)'],
  ['12: refused', at('qr', { reason: 'pairing_required' }), closed(401), 'qr pairing_failed (close, retry 1000)'],
  ['13', at('qr'), closed(411), 'stopped multidevice_mismatch (close)'],
  ...each(DROPS, ([code, reason]) => [
    '14, 15',
    paired('connected'),
    closed(code),
    `disconnected ${reason} (close, retry 1000)`,
    { disconnectedAt: NOW, paired: true },
  ]),
  ...each(
    DROPS.filter(([code]) => code !== 515),
    ([code, reason]) => [
      '14, 15',
      paired('connecting'),
      closed(code),
      `disconnected ${reason} (close, retry 1000)`,
      { disconnectedAt: NOW, paired: true },
    ],
  ),
  ...each(['connected', 'connecting'] as const, (status) => [
    '14, 15',
    paired(status),
    closed(405),
    'disconnected client_outdated (close, refreshVersion, retry 1000)',
  ]),
  ['14, 15: no connection', paired('connecting'), failed('handshake'), 'disconnected connection_lost (close, retry 1000)'],
  ['retry', paired('disconnected', { reason: 'connection_lost' }), timer('retry'), 'disconnected connection_lost (open)'],
  ['8', paired('disconnected'), opened, 'connected null ()'],
  ['17', paired('disconnected', {}, { badSessions: 4 }), closed(500), 'stopped bad_session (close)', { paired: true }],
  ['18', paired('disconnected', {}, { outdated: 2 }), closed(405), 'stopped client_outdated (close)', { paired: true }],
  ...LIVE.flatMap((status): Case[] => [
    ['19', paired(status), closed(440), 'stopped connection_replaced (close)', { paired: true }],
    [
      '20',
      paired(status, { connectedAt: 1 }),
      closed(401),
      'logged_out logged_out (close, eraseCredentials)',
      { paired: false, phone: '5511999990000', connectedAt: null },
    ],
    [
      '21',
      paired(status),
      asked('disconnect'),
      `logged_out logout_requested (${status === 'connected' ? 'logout, ' : ''}close, eraseCredentials)`,
      { paired: false, phone: null, loggedOutPhone: '5511999990000' },
    ],
    ['23', paired(status), closed(403), 'logged_out account_locked (close, eraseCredentials)', { paired: false }],
    ['24', paired(status), closed(406), 'banned banned (close, eraseCredentials)', { paired: false }],
    [
      '25',
      paired(status),
      closed(402, 'Connection Failure', 3_600),
      'banned temporarily_banned (close, ban 3600000)',
      { paired: true, bannedUntil: NOW + 3_600_000 },
    ],
    ['27', paired(status), closed(411), 'logged_out multidevice_mismatch (close, eraseCredentials)', { paired: false }],
    ['28', paired(status), asked('restart'), 'connecting restarting (close, open)', { paired: true }],
  ]),
  ...each(['qr', 'starting', 'stopped', 'banned'] as const, (status) => [
    '22',
    paired(status, { paired: status !== 'qr', bannedUntil: 1 }),
    asked('disconnect'),
    'logged_out logout_requested (close, eraseCredentials)',
    { paired: false, phone: null, loggedOutPhone: '5511999990000', bannedUntil: null },
  ]),
  ...each(['qr', 'starting'] as const, (status) => [
    '22: pairing',
    at(status),
    asked('pairingEnd'),
    'logged_out pairing_ended (close, eraseCredentials)',
    { paired: false, phone: null },
  ]),
  [
    '26',
    paired('banned', { reason: 'temporarily_banned', bannedUntil: NOW }),
    timer('ban'),
    'connecting null (open)',
    { bannedUntil: null },
  ],
  ...each(['qr', 'starting'] as const, (status) => [
    '29',
    at(status),
    asked('restart'),
    'starting null (close, eraseCredentials, open fresh)',
  ]),
  ...each([...LIVE, 'starting', 'stopped', 'banned'] as const, (status) => [
    'moved',
    paired(status),
    asked('move'),
    'stopped moved (close)',
    { paired: true },
  ]),
  ...each([...LIVE, 'starting'] as const, (status) => [
    'paused',
    paired(status),
    asked('pause'),
    'stopped paused (close)',
    { paired: true },
  ]),
  ...each(['moved', 'paused'] as const, (reason) => [
    'resumed',
    paired('stopped', { reason }),
    asked('resume'),
    'connecting null (open)',
    { paired: true },
  ]),
  ...(['restart', 'qr'] as const).flatMap((what): Case[] => [
    ...each(['stopped', 'banned'] as const, (status) => [
      '30',
      paired(status, { bannedUntil: 1 }),
      asked(what),
      'connecting null (open)',
      { bannedUntil: null, paired: true },
    ]),
    ...each(['created', 'logged_out', 'stopped', 'banned'] as const, (status) => [
      '31',
      at(status),
      asked(what),
      'starting null (eraseCredentials, open fresh)',
    ]),
    // An earlier bug: if the disk was full, the credentials were not deleted, so the instance could not be paired again
    // after a restart.
    ['31', paired('logged_out'), asked(what), 'starting null (eraseCredentials, open fresh)', { paired: false }],
  ]),
  ...each([...LIVE, 'starting'] as const, (status) => [
    '32',
    paired(status),
    { type: 'booted' },
    'starting engine_restart (open)',
    { paired: true },
  ]),
  ...each(['qr', 'starting'] as const, (status) => [
    '33',
    at(status),
    { type: 'booted' },
    'stopped engine_restart (eraseCredentials)',
  ]),
  [
    'kept: ban timer',
    paired('banned', { reason: 'temporarily_banned', bannedUntil: NOW + 5_000 }),
    { type: 'booted' },
    'banned temporarily_banned (ban 5000)',
    { bannedUntil: NOW + 5_000 },
  ],
]

describe('every row of the table', () => {
  for (const [row, from, on, outcome, state = {}] of CASES) {
    const detail = 'code' in on ? ` ${on.code}` : 'cause' in on ? ` ${on.cause}` : ''
    test(`${row}: ${from.state.status} and ${on.type}${detail} make ${outcome}`, () => {
      const found = move(from, on)
      assert.ok(found, 'there is a move')
      assert.equal(found.row, row)
      assert.equal(told(found), outcome)
      for (const [field, value] of Object.entries(state)) {
        assert.equal(found.next.state[field as keyof RuntimeState], value, field)
      }
    })
  }

  test('16: an automatic retry that opens makes connected, and everything counted starts over', () => {
    const found = move(paired('disconnected', { disconnectedAt: 1 }, { attempt: 9, badSessions: 4, outdated: 2 }), opened)
    assert.deepEqual(found?.next.run, FRESH_RUN)
    assert.equal(found?.next.state.status, 'connected')
  })
})

const NOTHING: [string, Lifecycle, LifecycleEvent][] = [
  ['22a: a disconnect while created', at('created'), asked('disconnect')],
  ['22a: a disconnect while logged out', at('logged_out', { reason: 'logged_out' }), asked('disconnect')],
  ['a restart of the process while created', at('created'), { type: 'booted' }],
  ['a restart of the process while logged out', at('logged_out'), { type: 'booted' }],
  ['a restart of the process while stopped', paired('stopped'), { type: 'booted' }],
  ['a restart of the process while banned for good', at('banned', { reason: 'banned' }), { type: 'booted' }],
  ...(['connected', 'connecting', 'disconnected', 'starting'] as const).map((status): [string, Lifecycle, LifecycleEvent] => [
    `a QR asked for while ${status}`,
    paired(status),
    asked('qr'),
  ]),
  ['a retry timer that is late', paired('connected'), timer('retry')],
  ['a retry timer after a stop', paired('stopped'), timer('retry')],
  ['a pairing timer after the login', paired('connected'), timer('pairing')],
  ['a pairing timer of an earlier login', paired('connecting'), timer('pairing')],
  ['an idle timer after the scan', paired('connecting'), timer('qrIdle')],
  ['a ban timer after a restart', paired('connecting'), timer('ban')],
  ['a code shown after a stop', at('stopped'), { type: 'qrShown' }],
  ['the name it has', paired('connected', { profileName: 'Sales' }), renamed],
  ['a name before anybody has agreed', at('qr'), renamed],
  ['a socket opened without credentials', at('starting'), { type: 'socketOpened' }],
  ['a socket opened by a retry', paired('disconnected'), { type: 'socketOpened' }],
  ...(['created', 'logged_out', 'banned', 'stopped'] as const).flatMap((status): [string, Lifecycle, LifecycleEvent][] => [
    [`a close while ${status}`, paired(status), closed(428)],
    [`an open while ${status}`, paired(status), opened],
    [`a scan while ${status}`, at(status), scanned],
  ]),
]

describe('what means nothing', () => {
  for (const [what, from, event] of NOTHING) test(what, () => assert.equal(move(from, event), null))
})

function walk(from: Lifecycle, events: LifecycleEvent[]) {
  let state = from
  return events.map((event) => {
    const found = move(state, event)
    if (found) state = found.next
    return found ? told(found) : 'nothing'
  })
}

describe('another session of the device', () => {
  test('19: ends the instance, and after a takeover only when it has ended three sessions', () => {
    let state = paired('connected')
    const rows: string[] = []
    for (let count = 0; count < 4; count += 1) {
      const found = move(state, closed(440), 0.5, true)!
      rows.push(`${found.row} ${short(found.effects).join(' ')}`)
      state = move(found.next, opened)?.next ?? found.next
    }
    const again = '19: after a takeover close retry 1000'
    assert.deepEqual(rows, [again, again, again, '19 close'])
    assert.equal(move(paired('connected'), closed(440))?.row, '19')
  })
})

describe('the schedule of retries', () => {
  test('retries come after 1, 2, 4, 8, 16, 30, 60 and then every 120 s, without limit', () => {
    let state = paired('connected')
    const delays: number[] = []
    for (let count = 0; count < 12; count += 1) {
      const found = move(state, closed(428))
      assert.ok(found)
      delays.push(...found.effects.flatMap((effect) => (effect.do === 'timer' ? [effect.delayMs / 1_000] : [])))
      state = found.next
    }
    assert.deepEqual(delays, [1, 2, 4, 8, 16, 30, 60, 120, 120, 120, 120, 120])
    assert.equal(state.state.status, 'disconnected')
  })

  test('each delay is up to 20 % shorter or longer', () => {
    const delay = (attempt: number, random: number) =>
      short(move(paired('disconnected', {}, { attempt }), closed(428), random)?.effects ?? []).at(-1)
    assert.deepEqual([delay(0, 0), delay(0, 1)], ['retry 800', 'retry 1200'])
    assert.deepEqual([delay(30, 0), delay(30, 1)], ['retry 96000', 'retry 144000'])
  })

  test('a lost link begins again at 1 s, whatever was tried before the login', () => {
    const found = move(paired('connected', {}, { attempt: 7 }), closed(428))
    assert.deepEqual(short(found!.effects), ['close', 'retry 1000'])
  })

  test('a login that the network accepts starts them over, also when the link is lost before it is open', () => {
    const accepted: LifecycleEvent = { type: 'loggedIn' }
    for (const status of ['disconnected', 'connecting', 'starting'] as const) {
      const found = move(paired(status, {}, { attempt: 6, failedStarts: 2, outdated: 2, badSessions: 3 }), accepted)
      assert.deepEqual(found?.next.run, { ...FRESH_RUN, badSessions: 3 })
      assert.equal(found?.next.state.status, status)
      assert.deepEqual(short(move(found!.next, closed(428))!.effects), ['close', 'retry 1000'])
    }
    assert.equal(move(paired('connecting'), accepted), null, 'there is nothing to start over')
  })

  test('7: restarts that the network asks for behind every login are not followed at once without end', () => {
    let state = paired('connecting')
    const effects: string[] = []
    for (let count = 0; count < 8; count += 1) {
      state = move(state, { type: 'loggedIn' })?.next ?? state
      const found = move(state, closed(515))!
      effects.push(short(found.effects).at(-1)!)
      state = found.next
    }
    assert.deepEqual(effects, ['open', 'open', 'open', 'open', 'open', 'retry 1000', 'retry 1000', 'retry 1000'])
  })

  test('disconnected_at is that of the loss, not of the last try', () => {
    const again = move(paired('disconnected', { disconnectedAt: 7 }), closed(408))
    assert.equal(again?.next.state.disconnectedAt, 7)
  })

  test('retries before the pairing grow too, and a code that is shown starts them over', () => {
    assert.deepEqual(
      walk(at('qr', { reason: 'pairing_required' }), [closed(428), closed(428), closed(428), { type: 'qrShown' }, closed(428)]),
      [
        'qr pairing_required (close, retry 1000)',
        'qr pairing_required (close, retry 2000)',
        'qr pairing_required (close, retry 4000)',
        'qr pairing_required ()',
        'qr pairing_required (close, retry 1000)',
      ],
    )
  })
})

describe('what is counted', () => {
  test('5: a start is tried three times, whatever went wrong each time', () => {
    assert.deepEqual(walk(at('starting'), [failed('handshake'), closed(408), failed('handshake')]), [
      'starting null (close, retry 1000)',
      'starting null (close, retry 2000)',
      'stopped start_failed (close)',
    ])
    assert.deepEqual(
      walk(at('starting'), [failed('proxy'), failed('proxy'), failed('proxy')]).at(-1),
      'stopped proxy_error (close)',
    )
    assert.deepEqual(
      walk(paired('starting'), [failed('store'), failed('store'), failed('store')]).at(-1),
      'stopped start_failed (close)',
    )
  })

  test('5: a proxy that refuses a login with credentials is tried three times as well', () => {
    assert.deepEqual(
      walk(paired('connecting', { reason: 'restarting' }), [failed('proxy'), timer('retry'), failed('proxy'), failed('proxy')]),
      [
        'connecting restarting (close, retry 1000)',
        'connecting restarting (open)',
        'connecting restarting (close, retry 2000)',
        'stopped proxy_error (close)',
      ],
    )
  })

  test('a link that was lost is tried without limit, also through a proxy that refuses', () => {
    const steps = walk(
      paired('disconnected', {}, { attempt: 20 }),
      Array.from({ length: 10 }, () => failed('proxy')),
    )
    assert.ok(steps.every((step) => step === 'disconnected connection_lost (close, retry 120000)'))
  })

  test('5: a code that was shown ends the counting of starts', () => {
    assert.equal(move(at('starting', {}, { failedStarts: 2 }), { type: 'qrShown' })?.next.run.failedStarts, 0)
  })

  test('17: five closes with 500 in a row stop it; the one that ended a connection is not among them', () => {
    const steps = walk(
      paired('connected'),
      Array.from({ length: 6 }, () => closed(500)),
    )
    assert.deepEqual(
      steps.map((step) => step.split(' (')[0]),
      [...Array.from({ length: 5 }, () => 'disconnected stream_error'), 'stopped bad_session'],
    )
    assert.deepEqual(
      walk(
        paired('connecting'),
        Array.from({ length: 5 }, () => closed(500)),
      ).at(-1),
      'stopped bad_session (close)',
    )
  })

  test('17: any other close in between starts the count over', () => {
    const steps = walk(paired('connecting'), [closed(500), closed(500), closed(500), closed(500), closed(428), closed(500)])
    assert.match(steps.at(-1)!, /^disconnected stream_error/)
  })

  test('18: three refusals of the version in a row stop it, and another version is chosen between them', () => {
    assert.deepEqual(walk(paired('connecting'), [closed(405), closed(405), closed(405)]), [
      'disconnected client_outdated (close, refreshVersion, retry 1000)',
      'disconnected client_outdated (close, refreshVersion, retry 2000)',
      'stopped client_outdated (close)',
    ])
    assert.match(walk(paired('connecting'), [closed(405), closed(405), closed(503), closed(405)]).at(-1)!, /^disconnected/)
  })

  test('7: restarts without end are no pairing any more', () => {
    const steps = walk(
      paired('connecting', {}, { firstLogin: true }),
      Array.from({ length: 6 }, () => closed(515)),
    )
    assert.deepEqual(
      steps.slice(0, 5),
      Array.from({ length: 5 }, () => 'connecting null (close, open)'),
    )
    assert.match(steps[5]!, /^disconnected stream_error/)
  })
})

describe('what else is remembered', () => {
  test('9: a 401 after the first login is an unlinked device, not a failed pairing', () => {
    const steps = walk(at('qr'), [scanned, closed(515), opened, closed(428), closed(401)])
    assert.equal(steps.at(-1), 'logged_out logged_out (close, eraseCredentials)')
  })

  test('25: a suspension without an end is asked about after an hour', () => {
    assert.deepEqual(short(move(paired('connected'), closed(402))!.effects), ['close', 'ban 3600000'])
  })

  test('26: a suspension that has ended while the process was down is over at once', () => {
    const booted = move(paired('banned', { reason: 'temporarily_banned', bannedUntil: NOW - 1 }), { type: 'booted' })
    assert.deepEqual(short(booted!.effects), ['ban 0'])
  })

  test('a moved device is started by its own request only, and what is not linked cannot be moved', () => {
    const moved = paired('stopped', { reason: 'moved' })
    for (const event of [asked('restart'), asked('qr'), asked('move'), { type: 'booted' } as const])
      assert.equal(move(moved, event), null)
    for (const status of STATUSES) {
      assert.equal(move(at(status), asked('move')), null, status)
      assert.equal(move(paired(status), asked('resume')), null, status)
    }
    assert.equal(move(moved, asked('disconnect'))?.next.state.status, 'logged_out')
  })

  test('a paused instance stays so when the service starts and when a code is asked for, and is started by a restart', () => {
    const paused = paired('stopped', { reason: 'paused' })
    for (const event of [asked('qr'), { type: 'booted' } as const]) assert.equal(move(paused, event), null)
    assert.equal(move(paused, asked('restart'))?.next.state.status, 'connecting')
    for (const status of STATUSES) assert.equal(move(at(status), asked('pause')), null, status)
    for (const status of ['banned', 'stopped'] as const) assert.equal(move(paired(status), asked('pause')), null, status)
  })

  test('leaving connected notes when, however it is left', () => {
    for (const event of [
      closed(440),
      closed(401),
      asked('disconnect'),
      asked('restart'),
      closed(406),
      { type: 'booted' } as const,
    ]) {
      assert.equal(move(paired('connected', { connectedAt: 1 }), event)?.next.state.disconnectedAt, NOW, event.type)
    }
  })

  test('what a passkey is about means nothing to a linked device, and nothing but a request of it to a code', () => {
    const rest = [
      { type: 'passkeyAccepted' },
      { type: 'passkeyTryAgain', lifeMs: 1 },
      { type: 'passkeyEnded' },
      timer('passkey'),
    ] as const
    for (const status of STATUSES) {
      for (const event of [passkeyAsked, ...rest]) assert.equal(move(paired(status), event), null, `${status} ${event.type}`)
      if (status === 'connecting') continue
      for (const event of rest) assert.equal(move(at(status), event), null, `${status} ${event.type}`)
    }
  })

  test('a device that is linked with a passkey goes on as after a scan', () => {
    const steps = walk(at('qr'), [passkeyAsked, { type: 'passkeyAccepted' }, scanned, closed(515), opened])
    assert.deepEqual(steps, [
      'connecting passkey_required (passkey 500000)',
      'connecting passkey_confirmation (passkey 360000)',
      'connecting null (pairing 60000)',
      'connecting null (close, open)',
      'connected null ()',
    ])
  })

  test('no move ends in a status that does not exist, whatever happens wherever', () => {
    const events: LifecycleEvent[] = [
      ...[401, 402, 403, 405, 406, 408, 409, 411, 428, 440, 500, 503, 515, 999, null].map((code) => closed(code)),
      ...(['restart', 'qr', 'disconnect'] as const).map(asked),
      ...(['retry', 'pairing', 'qrIdle', 'passkey', 'ban'] as const).map(timer),
      ...(['proxy', 'handshake', 'store', 'storeAway'] as const).map(failed),
      { type: 'booted' },
      { type: 'created' },
      { type: 'socketOpened' },
      { type: 'qrShown' },
      passkeyAsked,
      { type: 'passkeyAccepted' },
      { type: 'passkeyTryAgain', lifeMs: 600_000 },
      { type: 'passkeyEnded' },
      scanned,
      opened,
    ]
    for (const status of STATUSES) {
      for (const isPaired of [true, false]) {
        for (const event of events) {
          const found = move(at(status, { paired: isPaired }), event)
          if (!found) continue
          const to = found.next.state.status
          assert.ok(STATUSES.includes(to))
          const opens = found.effects.some((effect) => effect.do === 'open' || (effect.do === 'timer' && effect.name !== 'ban'))
          const isRunning = !['created', 'logged_out', 'banned', 'stopped'].includes(to)
          if (opens) assert.ok(isRunning, `${found.row} leaves something running in ${to}`)
          if (
            !isRunning &&
            isRunning !== !['created', 'logged_out', 'banned', 'stopped'].includes(status) &&
            event.type !== 'booted'
          )
            assert.ok(short(found.effects).includes('close'), `${found.row} leaves its socket open in ${to}`)
        }
      }
    }
  })
})
