/**
 * Tests events that permanently end the link between an instance and its account. Each event happens in each state in
 * which there is a link (rows 19, 20, 21, 23, 24, 25, 27 and 28 of `workers/shard/lifecycle/table.ts`).
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { amount } from '../harness/amount.ts'
import { column } from '../harness/columns.ts'
import type { Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { startWorld } from '../harness/world.ts'
import { watch } from './states-seen.ts'

const world = await startWorld()
const see = watch(world)
after(() => world.stop())

type Fault = { failure: number; expire?: number; code?: string } | { stream_error: string }
/**
 * `restart` is the status after a restart: `connecting` if the credentials of the link were kept, and `starting` if they
 * were deleted.
 */
type Ending = [row: string, fault: Fault, status: string, reason: string, restart: string, sentence: string | RegExp]

const UNLINKED = 'The linked device was removed on the phone; pair again.'
const LOCKED = 'The network ended the session of this account; open the app on the phone and pair again.'
const REPLACED = 'The same session was opened somewhere else; restart it here to take over.'
const SUSPENDED = /^The network suspended this account until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.$/
const NO_DEVICES = 'The account cannot use linked devices; update the app on the phone.'

const ENDINGS: Ending[] = [
  ['19', { stream_error: 'replaced' }, 'stopped', 'connection_replaced', 'connecting', REPLACED],
  ['20', { failure: 401 }, 'logged_out', 'logged_out', 'starting', UNLINKED],
  ['23', { failure: 403 }, 'logged_out', 'account_locked', 'starting', LOCKED],
  ['24', { failure: 406 }, 'banned', 'banned', 'starting', 'The network banned this account.'],
  ['25', { failure: 402, code: '101', expire: 3_600 }, 'banned', 'temporarily_banned', 'connecting', SUSPENDED],
  ['27', { failure: 411 }, 'logged_out', 'multidevice_mismatch', 'starting', NO_DEVICES],
]

/** For each of three states, a function that brings an instance from this state to the end of its link. */
const FROM: Record<string, (instance: Instance, phone: string, fault: Fault) => Promise<unknown>> = {
  connected: (instance, phone, fault) => see.strike(instance, phone, fault),
  async connecting(instance, phone, fault) {
    await world.sandbox.fault({ on: 'login', match: { phone }, do: fault, times: 1 })
    await world.gateway.must(instance, 'POST', '/restart')
  },
  async disconnected(instance, phone, fault) {
    await world.sandbox.fault({ on: 'login', match: { phone }, do: fault, times: 1 })
    await world.sandbox.cut(phone)
    await see.told(instance, 'disconnected', 'connection_closed')
  },
}

describe('the end of a link', { concurrency: 4 }, () => {
  for (const [index, [row, fault, status, reason, restart, sentence]] of ENDINGS.entries()) {
    const states = Object.entries(FROM)
    for (const [from, end] of amount(states, [states[index % states.length]!])) {
      test(`${row}: ${JSON.stringify(fault)} while ${from} makes ${status}, ${reason}`, async () => {
        const { gateway, sandbox } = world
        const { instance, phone } = await see.connected({ delay_message_min_ms: 60_000, delay_message_max_ms: 60_000 })
        await gateway.sendText(instance, '5511977770001', 'waits', { delay_message: 15 })
        await end(instance, phone, fault)
        const me = await see.sees(instance, status, reason, sentence)
        assert.equal(me.phone, phone, 'the number stays as the last known one')
        if (status === 'logged_out') assert.equal(me.connected_at, null)
        const event = await see.told(instance, status, reason)
        assert.equal(event.previous_status, from)
        if (sentence instanceof RegExp) assert.match(String(event.reason), sentence)
        else assert.equal(event.reason, sentence)
        assert.equal(await see.queued(instance), 1, 'what waits stays in the queue')
        const device = await gateway.ask(instance, 'GET', '/device')
        assert.deepEqual(
          [device.status, (device.body as { error: { code: string } }).error.code],
          [409, 'instance_not_connected'],
        )

        // The service does not log in again without a request. The requested restart shows whether the credentials were
        // kept.
        await sandbox.fault({ on: 'login', match: { phone }, do: 'drop' })
        assert.deepEqual(await gateway.must(instance, 'POST', '/restart'), { value: true, status: restart })
        await see.told(instance, restart, null, see.events(instance).indexOf(event) + 1)
        const expected = [
          'created',
          'starting',
          'qr',
          'connecting',
          'connected',
          ...(from === 'connected' ? [] : [from]),
          status,
          restart,
        ]
        const path = await see.path(instance)
        assert.deepEqual(path.slice(0, expected.length), expected)
        await must('DELETE', `${gateway.baseUrl}/account/instances/${instance.id}`, undefined, gateway.account)
      })
    }
  }

  test('20: the removal of a connected device on the phone is reported immediately', async () => {
    const { instance, phone } = await see.connected()
    await world.sandbox.unlink(phone)
    await see.sees(instance, 'logged_out', 'logged_out', 'The linked device was removed on the phone; pair again.')
    await world.gateway.sendText(instance, '5511977770002', 'sent after pairing again')
    await world.gateway.pair(instance, world.sandbox, phone)
    const [item] = await world.sandbox.inbox('5511977770002', 0, 10_000)
    assert.equal(item?.text, 'sent after pairing again')
  })

  test('20: a device removed while the service could not be reached learns it at its next login', async () => {
    const { instance, phone } = await see.connected()
    // The next login comes at least 0.8 s later. So the device can be removed before it.
    await world.sandbox.cut(phone)
    await see.told(instance, 'disconnected', 'connection_closed')
    await world.sandbox.unlink(phone)
    await see.sees(instance, 'logged_out', 'logged_out', 'The linked device was removed on the phone; pair again.')
  })

  test('a deletion logs the device out, and nobody is told of the state it ends in', async () => {
    const { instance, phone } = await see.connected()
    const { gateway, sandbox } = world
    const before = see.events(instance).map(({ status }) => status)
    assert.equal(before.at(-1), 'connected')
    await must('DELETE', `${gateway.baseUrl}/account/instances/${instance.id}`, undefined, gateway.account)
    // The answer to the deletion means that all events have been sent or deleted. So no further event can arrive.
    assert.deepEqual(column(see.events(instance), 'status'), before)
    const { phones } = await sandbox.get<{ phones: { phone: string; devices: unknown[] }[] }>('/state')
    assert.deepEqual(phones.find((each) => each.phone === phone)?.devices, [])
  })

  test('19: the same credentials that log in again take over, and are taken over from', async () => {
    const { instance, phone } = await see.connected()
    await see.strike(instance, phone, { stream_error: 'replaced' })
    await see.told(instance, 'stopped', 'connection_replaced')
    assert.equal((await world.gateway.must(instance, 'POST', '/restart')).status, 'connecting')
    await world.gateway.waitForStatus(instance, 'connected')
  })
})

interface PhoneState {
  phones: { phone: string; devices: unknown[] }[]
}
const devicesOf = async (phone: string) => {
  const { phones } = await must<PhoneState>('GET', `${world.sandbox.url}/state`)
  return phones.find((each) => each.phone === phone)!.devices.length
}

describe('a disconnect that is asked for', { concurrency: 4 }, () => {
  test('21: while connected the device disappears from the phone, its number is only the last one and the queue stays', async () => {
    const { gateway } = world
    const { instance, phone } = await see.connected({ delay_message_min_ms: 60_000, delay_message_max_ms: 60_000 })
    assert.equal(await devicesOf(phone), 1)
    await gateway.sendText(instance, '5511977770003', 'waits', { delay_message: 15 })
    const answer = await gateway.ask(instance, 'POST', '/disconnect')
    assert.deepEqual([answer.status, answer.body], [201, { value: true, status: 'logged_out' }])
    const me = await see.sees(
      instance,
      'logged_out',
      'logout_requested',
      'The account was disconnected with the API or the dashboard, not on the phone; pair again.',
    )
    assert.deepEqual([me.phone, me.last_phone], [null, phone])
    assert.equal(await devicesOf(phone), 0)
    assert.equal(await see.queued(instance), 1)
    const event = await see.told(instance, 'logged_out', 'logout_requested')
    assert.equal(event.previous_status, 'connected')
    // A repeated request gets the same answer, and has no other effect.
    assert.deepEqual(await gateway.must(instance, 'POST', '/disconnect'), { value: true, status: 'logged_out' })
    await see.sees(
      instance,
      'logged_out',
      'logout_requested',
      'The account was disconnected with the API or the dashboard, not on the phone; pair again.',
    )
    assert.equal((await see.path(instance)).filter((status) => status === 'logged_out').length, 1)
  })

  for (const from of ['connecting', 'disconnected'] as const) {
    test(`21: while ${from} the credentials go, and the entry stays on the phone until it is removed there`, async () => {
      const { gateway, sandbox } = world
      const { instance, phone } = await see.connected()
      if (from === 'disconnected') await see.keepOut(instance, phone)
      else {
        await sandbox.fault({ on: 'login', match: { phone }, do: 'drop' })
        await gateway.must(instance, 'POST', '/restart')
      }
      assert.deepEqual(await gateway.must(instance, 'POST', '/disconnect'), { value: true, status: 'logged_out' })
      const me = await see.sees(
        instance,
        'logged_out',
        'logout_requested',
        'The account was disconnected with the API or the dashboard, not on the phone; pair again.',
      )
      assert.equal(me.phone, null)
      assert.equal(await devicesOf(phone), 1)
      assert.equal((await see.told(instance, 'logged_out', 'logout_requested')).previous_status, from)
      assert.equal((await gateway.must(instance, 'POST', '/restart')).status, 'starting')
    })
  }
})

describe('a restart that is asked for', { concurrency: 4 }, () => {
  for (const from of ['connected', 'connecting', 'disconnected'] as const) {
    test(`28: while ${from} the link is opened again with the same device`, async () => {
      const { gateway, sandbox } = world
      const { instance, phone } = await see.connected()
      // The first retry comes at least 0.8 s later. So the request of the test comes before it.
      if (from === 'disconnected') {
        await sandbox.cut(phone)
        await see.told(instance, 'disconnected', 'connection_closed')
      }
      if (from === 'connecting') {
        await sandbox.fault({ on: 'login', match: { phone }, do: { delay_ms: 500 } })
        await gateway.must(instance, 'POST', '/restart')
      }
      const answer = await gateway.ask(instance, 'POST', '/restart')
      assert.deepEqual([answer.status, answer.body], [201, { value: true, status: 'connecting' }])
      await gateway.waitForStatus(instance, 'connected')
      await see.told(instance, 'connected', null, 5)
      assert.equal(await devicesOf(phone), 1)
      const path = await see.path(instance)
      assert.deepEqual(path.slice(4), [
        'connected',
        ...(from === 'disconnected' ? ['disconnected'] : []),
        'connecting',
        'connected',
      ])
    })
  }

  test('28: restarts asked for at once are one', async () => {
    const { instance } = await see.connected()
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.gateway.must(instance, 'POST', '/restart')))
    for (const answer of answers) assert.deepEqual(answer, { value: true, status: 'connecting' })
    await world.gateway.waitForStatus(instance, 'connected')
    await see.told(instance, 'connected', null, 5)
    assert.deepEqual((await see.path(instance)).slice(4), ['connected', 'connecting', 'connected'])
  })
})
