/**
 * Tests changes of state that take minutes or days (among others rows 5, 9, 10, 11, 17, 25, 26 and 31 of
 * `workers/shard/lifecycle/table.ts`), and the delays between retries.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentence } from '../../src/domain/sentences.ts'
import { keys } from '../../src/storage/record-keys.ts'
import {
  codeOf,
  configOf,
  connected,
  DAY,
  hold,
  holding,
  MINUTE,
  mocked,
  pass,
  SECOND,
  sandbox,
  seen,
  shard,
  timed,
  until,
} from './timed-instances.ts'

test('3: a code is renewed when its time is over, and the new one scans', async () => {
  const held = await hold('create')
  await held.is('qr', 'pairing_required')
  const first = await codeOf(held)
  assert.ok(Math.abs(Date.parse(first.expires_at) - Date.now() - 60 * SECOND) < 2 * SECOND)
  await pass(60 * SECOND)
  const second = await codeOf(held)
  assert.notEqual(second.value, first.value)
  assert.ok(Math.abs(Date.parse(second.expires_at) - Date.now() - 20 * SECOND) < 3 * SECOND)
  await pass(20 * SECOND)
  const third = await codeOf(held)
  assert.notEqual(third.value, second.value)
  await sandbox.scan(held.phone, third.value!)
  await held.is('connected', null)
})

test('10: when the references of a socket run out there is a new socket, and no change of status', async () => {
  const held = await hold('create')
  await held.is('qr', 'pairing_required')
  await pass(158 * SECOND)
  const last = await codeOf(held)
  await pass(5 * SECOND)
  const first = await until('the first code of the next socket', async () => {
    const code = await codeOf(held)
    return code.value !== null && code.value !== last.value && code
  })
  assert.ok(Date.parse(first.expires_at) - Date.now() > 50 * SECOND, 'the first of a socket lives 60 s')
  assert.deepEqual(held.path(), ['created', 'starting', 'qr'])
  await sandbox.scan(held.phone, first.value!)
  await held.is('connected', null)
})

test('10: a pairing code that was handed out late is accepted after the references of its socket have run out', async () => {
  const held = await hold('create')
  await held.is('qr', 'pairing_required')
  await pass(150 * SECOND)
  const { value } = await timed(held.ask<{ value: string }>('instance.phoneCode', { phone: held.phone }))
  await pass(90 * SECOND)
  assert.match(String((await codeOf(held)).value), /^data:image/, 'the last code goes on being shown')
  await sandbox.enterCode(held.phone, value)
  await held.is('connected', null)
  assert.deepEqual(held.path(), ['created', 'starting', 'qr', 'connecting', 'connected'])
})

test('10: a pairing code that nobody enters does not keep its socket for ever', async () => {
  const held = await hold('create')
  await held.is('qr', 'pairing_required')
  const { value } = await timed(held.ask<{ value: string }>('instance.phoneCode', { phone: held.phone }))
  await pass(4 * MINUTE)
  await assert.rejects(sandbox.enterCode(held.phone, value), /409/)
  await sandbox.scan(held.phone, (await codeOf(held)).value!)
  await held.is('connected', null)
})

test('11: a code that nobody asks for ends after 10 minutes, and asking for it begins the 10 minutes again', async () => {
  const held = await hold('create')
  await held.is('qr', 'pairing_required')
  await pass(9 * MINUTE)
  await codeOf(held)
  await pass(9 * MINUTE)
  assert.equal(held.state().status, 'qr')
  await pass(MINUTE)
  const state = await held.is('stopped', 'qr_timeout')
  assert.equal(sentence(state), 'The QR code was not read in time; request it again.')
  await until('no socket to be held', async () => (await sandbox.stats()).connections === 0)
  assert.match(String((await codeOf(held)).value), /^data:image/)
  await held.is('qr', 'pairing_required')
  assert.deepEqual(held.path(), ['created', 'starting', 'qr', 'stopped', 'starting', 'qr'])
})

test('9: a scan that is not followed by a restart within 60 s is a pairing that failed', async () => {
  const held = await hold('create')
  await held.is('qr', 'pairing_required')
  await sandbox.fault({ on: 'pairing', match: { phone: held.phone }, do: 'drop' })
  await sandbox.scan(held.phone, (await codeOf(held)).value!)
  await held.is('connecting', null)
  await pass(55 * SECOND)
  assert.equal(held.state().status, 'connecting')
  await pass(10 * SECOND)
  const state = await held.is('logged_out', 'pairing_failed')
  assert.equal(state.paired, false)
})

for (const [what, fault] of [
  ['a connection that is never accepted', { on: 'connect', do: 'drop', times: 3 }],
  ['a handshake that is never answered', { on: 'handshake', do: 'drop', times: 3 }],
  ['a handshake that cannot be read', { on: 'handshake', do: { corrupt: true }, times: 3 }],
  ['an HTTP error in place of a connection', { on: 'connect', do: { http_status: 502 }, times: 3 }],
] as const) {
  test(`5: ${what}, three times, stops the start`, async () => {
    await sandbox.fault(fault)
    const held = await hold('create')
    await pass(70 * SECOND, 5 * SECOND)
    const state = await held.is('stopped', 'start_failed')
    assert.equal(sentence(state), 'The session could not be started.')
    assert.deepEqual(held.path(), ['created', 'starting', 'stopped'])
    assert.match(String((await codeOf(held)).value), /^data:image/, 'the next one is asked for by hand')
  })
}

test('retries come after 1, 2, 4, 8, 16, 30, 60 and then every 120 s, give or take 20 %, and never end', async () => {
  const held = await connected()
  await sandbox.fault({ on: 'login', match: { phone: held.phone }, do: { failure: 503 } })
  await sandbox.cut(held.phone)
  await held.is('disconnected', 'service_unavailable')
  await pass(8 * MINUTE, 3 * SECOND)
  const all = seen.get(held.id)!
  // A lost connection is first reported as `connection_lost`, and then with its real reason.
  const begin = all.findIndex(({ state }) => state.status === 'disconnected' && state.reason !== 'connection_lost')
  /**
   * Times at which the state changed: when the connection was lost, and then at the beginning and the end of each
   * attempt.
   */
  const times = all.slice(begin).map(({ at }) => at)
  const waits = times.flatMap((at, index) => (index % 2 === 1 ? [(at - times[index - 1]!) / SECOND] : []))
  const schedule = [1, 2, 4, 8, 16, 30, 60, 120, 120]
  assert.ok(waits.length >= schedule.length, `${waits.length} tries`)
  for (const [index, seconds] of schedule.entries()) {
    const wait = waits[index]!
    // The test advances the clock in steps of 3 s, so a retry may be noticed up to 3 s late.
    assert.ok(wait >= seconds * 0.8 - 0.1 && wait <= seconds * 1.2 + 3.1, `try ${index + 1} after ${wait} s`)
  }
  assert.equal(held.state().status, 'disconnected')
  await sandbox.clearFaults()
  // The clock advances in steps of one second: if it ran much faster than the machine, the login would time out.
  for (let second = 0; second < 450 && held.state().status !== 'connected'; second++) await pass(SECOND, SECOND)
  await held.is('connected', null)
})

test('17: five logins in a row that end with 500 stop it; the credentials are kept', async () => {
  const held = await connected()
  await sandbox.fault({ on: 'login', match: { phone: held.phone }, do: { failure: 500 }, times: 5 })
  await sandbox.cut(held.phone)
  await held.is('disconnected', 'connection_closed')
  await pass(40 * SECOND, SECOND)
  const state = await held.is('stopped', 'bad_session')
  assert.equal(sentence(state), 'The saved session is damaged; restart it or pair again.')
  assert.deepEqual(await held.ask('instance.restart'), { value: true, status: 'connecting' })
  await held.is('connected', null)
})

test('14: a network that falls silent is noticed, and left', async () => {
  const held = await connected()
  await sandbox.fault({ on: 'query', match: { phone: held.phone, xmlns: 'w:p' }, do: 'drop' })
  // The service checks every 30 s whether a frame has arrived in the last 35 s. So it notices the silence after at most
  // 65 s.
  await pass(130 * SECOND)
  await until('connection_lost', () => seen.get(held.id)!.some(({ state }) => state.reason === 'connection_lost'))
  await sandbox.clearFaults()
  await held.is('connected', null)
})

test('15: a login that is never answered is given up after 20 s, and tried again', async () => {
  const held = await connected()
  await sandbox.fault({ on: 'login', match: { phone: held.phone }, do: 'drop', times: 1 })
  await held.ask('instance.restart')
  await pass(15 * SECOND, 5 * SECOND)
  assert.equal(held.state().status, 'connecting')
  await pass(5 * SECOND)
  await held.is('disconnected', 'connection_lost')
  await held.is('connected', null)
})

test('25, 26: a suspension longer than any timer of Node ends at its time', async () => {
  const held = await connected()
  await sandbox.fault({
    on: 'login',
    match: { phone: held.phone },
    do: { failure: 402, code: '106', expire: 30 * 24 * 3_600 },
    times: 1,
  })
  await held.ask('instance.restart')
  const state = await held.is('banned', 'temporarily_banned')
  assert.ok(Math.abs(state.bannedUntil! - Date.now() - 30 * DAY) < MINUTE)
  // A timer that is set during a step of the clock begins at the end of this step, so the ban may end later than
  // planned.
  await pass(29 * DAY, DAY)
  assert.equal(held.state().status, 'banned')
  for (let halfDays = 0; halfDays < 6 && held.state().status === 'banned'; halfDays += 1) await pass(DAY / 2, DAY / 2)
  await held.is('connected', null)
  assert.ok(Date.now() >= state.bannedUntil!)
  const path = held.path()
  assert.equal(path[path.lastIndexOf('banned') + 1], 'connecting')
})

test('19: another session of the device ends an instance, but only the fourth one after a takeover', async () => {
  const first = await connected()
  const config = { ...configOf(), id: first.id }
  await first.instance.stop('keep')
  holding.delete(first.instance)
  const replaceAtLogins = async (times: number) => {
    await sandbox.fault({ on: 'login', match: { phone: first.phone }, do: { stream_error: 'replaced' }, times })
  }
  const claimed = await hold('takeover', config, first.phone)
  await claimed.is('connected', null)
  await replaceAtLogins(3)
  await sandbox.cut(first.phone)
  await claimed.is('disconnected', 'connection_closed')
  await claimed.is('connected', null)
  await claimed.instance.stop('keep')
  holding.delete(claimed.instance)
  const moved = await hold('boot', config, first.phone)
  await moved.is('connected', null)
  await replaceAtLogins(1)
  await sandbox.cut(first.phone)
  await moved.is('stopped', 'connection_replaced')
})

test('created, 22a, 31: an instance whose first start never came about says so until somebody asks for a code', async () => {
  const held = await hold('boot')
  assert.equal(held.state().status, 'created')
  assert.equal((await held.ask('instance.status')).error, 'The session has not been started yet.')
  await assert.rejects(held.ask('instance.device'), { code: 'instance_not_connected' })
  await assert.rejects(held.ask('instance.phoneCode', { phone: held.phone }), { code: 'instance_not_connected' })
  assert.deepEqual(await held.ask('instance.disconnect'), { value: true, status: 'created' })
  assert.equal(held.state().status, 'created')
  assert.match(String((await codeOf(held)).value), /^data:image/)
  await held.is('qr', 'pairing_required')
  assert.deepEqual(held.path(), ['created', 'starting', 'qr'])
})

test('5, 22: credentials that cannot be read stop the start after three tries, and a disconnect clears them away', async () => {
  const held = await connected()
  const config = { ...configOf(), id: held.id }
  await held.instance.stop('keep')
  holding.delete(held.instance)
  const record = keys.creds(held.id)
  const bytes = Buffer.from((await shard.deps.store.get(record))!)
  bytes[bytes.length - 1]! ^= 0xff
  await shard.deps.store.commit({ ops: [[record, bytes]] })
  const again = await hold('boot', config, held.phone).catch((error) => assert.fail(`it does not start at all: ${error}`))
  await pass(10 * SECOND, SECOND)
  const state = await again.is('stopped', 'start_failed')
  assert.equal(sentence(state), 'The session could not be started.')
  assert.deepEqual(await again.ask('instance.disconnect'), { value: true, status: 'logged_out' })
  assert.match(String((await codeOf(again)).value), /^data:image/)
})

/** Makes the store refuse the next `refusals.times` commits that contain this record. */
function failing(record: (instance: string) => string) {
  const refusals = { instance: '', times: 0 }
  const { store } = shard.deps
  const commit: typeof store.commit = (batch) => {
    const isRefused = refusals.times > 0 && batch.ops.some(([key]) => key === record(refusals.instance))
    if (!isRefused) return store.commit(batch)
    refusals.times -= 1
    return Promise.reject(new Error('no space left on the device'))
  }
  const refusing = new Proxy(store, { get: (target, name) => (name === 'commit' ? commit : Reflect.get(target, name)) })
  return { refusals, deps: { ...mocked(), store: refusing } }
}

test('15: credentials that cannot be saved end the link, and it is opened again', async () => {
  const { refusals, deps } = failing(keys.creds)
  const held = await connected(deps)
  await sandbox.cut(held.phone)
  await held.is('disconnected', 'connection_closed')
  // On a busy machine the old session may still have a commit to make. The next refused one is made by the next session,
  // during its login.
  Object.assign(refusals, { instance: held.id, times: 2 })
  await until('stream_error', () => seen.get(held.id)!.some(({ state }) => state.reason === 'stream_error'))
  await held.is('connected', null)
  assert.equal(refusals.times, 0)
})

test('14: a loss that cannot be written down is taken as soon as it can, and the link comes back', async () => {
  const { refusals, deps } = failing(keys.runtime)
  const held = await connected(deps)
  Object.assign(refusals, { instance: held.id, times: 3 })
  await sandbox.cut(held.phone)
  await held.is('disconnected', 'connection_closed')
  assert.equal(refusals.times, 0)
  await held.is('connected', null)
  Object.assign(refusals, { times: 1 })
  await assert.rejects(held.ask('instance.restart'), /no space left/, 'whoever asks for something hears so')
  assert.equal(held.state().status, 'connected')
})
