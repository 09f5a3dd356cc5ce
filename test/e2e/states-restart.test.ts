/**
 * Tests restarts of the service in most states of an instance, and the end of a temporary ban, which may come while the
 * service is down (rows 26, 32 and 33 of `workers/shard/lifecycle/table.ts`).
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import { startWorld } from '../harness/world.ts'
import { newPhone, watch } from './states-seen.ts'

const world = await startWorld()
const see = watch(world)
after(() => world.stop())

/** Duration of the ban in seconds. It is longer than a restart of the service takes. */
const BAN_SECONDS = 600

const moved = (instance: Instance): Instance => ({
  ...instance,
  api_url: `${world.gateway.baseUrl}${new URL(instance.api_url).pathname}`,
})

async function waiting() {
  const phone = newPhone()
  await world.sandbox.createPhone(phone)
  return { phone, instance: await world.gateway.createInstance(world.receiver) }
}

test('32, 33: after a restart of the service, what was linked comes back and what was not waits', async () => {
  const { gateway, sandbox } = world
  const shown = await waiting()
  const loggedOut = await waiting()
  await gateway.must(loggedOut.instance, 'POST', '/disconnect')
  const connected = await see.connected()
  const disconnected = await see.connected()
  const connecting = await see.connected()
  const stopped = await see.connected()
  const banned = await see.connected()
  const suspended = await see.connected()
  const starting = await waiting()
  await gateway.must(starting.instance, 'POST', '/disconnect')
  await sandbox.fault({ on: 'connect', do: 'drop', times: 1 })
  assert.equal((await gateway.must(starting.instance, 'POST', '/restart')).status, 'starting')
  // The fault applies to one connection only. Once this instance is connecting, the fault can no longer affect another
  // instance.
  await see.told(starting.instance, 'starting', null, 4)

  await see.keepOut(disconnected.instance, disconnected.phone)
  await sandbox.fault({ on: 'login', match: { phone: connecting.phone }, do: 'drop' })
  await gateway.must(connecting.instance, 'POST', '/restart')
  await see.strike(stopped.instance, stopped.phone, { stream_error: 'replaced' })
  await see.strike(banned.instance, banned.phone, { failure: 406 })
  await see.strike(suspended.instance, suspended.phone, { failure: 402, code: '104', expire: BAN_SECONDS })
  await see.told(stopped.instance, 'stopped', 'connection_replaced')
  await see.told(banned.instance, 'banned', 'banned')
  await see.told(suspended.instance, 'banned', 'temporarily_banned')
  const until = String((await gateway.must(suspended.instance, 'GET', '/status')).error)

  await world.restartService()
  await sandbox.clearFaults()

  for (const { instance } of [connected, disconnected, connecting]) {
    await see.sees(moved(instance), 'connected', null, null)
    await see.told(instance, 'connected', null, 6)
    const path = await see.path(instance)
    assert.deepEqual(path.slice(path.lastIndexOf('starting')), ['starting', 'connecting', 'connected'])
    const again = see.events(instance).findLast(({ status }) => status === 'starting')
    assert.equal(again?.reason, 'The session is starting after an engine restart.')
  }
  for (const { instance } of [shown, starting]) {
    await see.sees(moved(instance), 'stopped', 'engine_restart', 'The session is not running; request a QR code to start it.')
    await see.told(instance, 'stopped', 'engine_restart')
    assert.match(String((await world.gateway.must(moved(instance), 'GET', '/qr-code')).value), /^data:image/)
    await see.path(instance)
  }
  await see.sees(moved(stopped.instance), 'stopped', 'connection_replaced', /^The same session was opened somewhere else/)
  await see.sees(moved(banned.instance), 'banned', 'banned', 'The network banned this account.')
  await see.sees(moved(suspended.instance), 'banned', 'temporarily_banned', until)
  await see.sees(moved(loggedOut.instance), 'logged_out', 'logout_requested', /API or the dashboard/)
  for (const { instance } of [stopped, banned, suspended, loggedOut]) {
    const { status } = see.events(instance).at(-1)!
    assert.equal(
      status,
      (await world.gateway.must(moved(instance), 'GET', '/status')).status,
      'no event for what stayed as it was',
    )
  }
  // A stopped instance with credentials logs in when a QR code is requested, and a suspended one when it is restarted.
  assert.deepEqual(await world.gateway.must(moved(stopped.instance), 'GET', '/qr-code'), { value: null, connected: false })
  await see.sees(moved(stopped.instance), 'connected', null, null)
  assert.equal((await world.gateway.must(moved(suspended.instance), 'POST', '/restart')).status, 'connecting')
  await see.sees(moved(suspended.instance), 'connected', null, null)
  // A permanently banned instance starts without credentials when a QR code is requested.
  assert.match(String((await world.gateway.must(moved(banned.instance), 'GET', '/qr-code')).value), /^data:image/)
  // A permanently banned instance can also be disconnected from its account.
  assert.equal((await world.gateway.must(moved(banned.instance), 'POST', '/disconnect')).status, 'logged_out')
  for (const { instance } of [stopped, suspended, banned]) await see.path(instance)
})

test('26: a suspension ends at its time, with the saved credentials, and also over a restart of the service', async () => {
  const [stays, leaves] = await Promise.all([see.connected(), see.connected()])
  for (const { instance, phone } of [stays, leaves]) {
    await see.strike(instance, phone, { failure: 402, code: '101', expire: 3 })
    await see.told(instance, 'banned', 'temporarily_banned')
  }
  await see.sees(stays.instance, 'connected', null, null)
  await see.told(stays.instance, 'connected', null, 6)
  assert.deepEqual((await see.path(stays.instance)).slice(4), ['connected', 'banned', 'connecting', 'connected'])
  // A fault has no effect before the connection is open, so the test waits for the connection.
  await see.told(leaves.instance, 'connected', null, 6)
  await see.strike(leaves.instance, leaves.phone, { failure: 402, code: '101', expire: 1 })
  await see.told(leaves.instance, 'banned', 'temporarily_banned', 6)
  await world.restartService()
  await see.sees(moved(leaves.instance), 'connected', null, null)
  await see.told(leaves.instance, 'connected', null, 8)
  const path = await see.path(leaves.instance)
  assert.deepEqual(path.slice(path.lastIndexOf('banned')), ['banned', 'connecting', 'connected'])
})

test('22: a suspended instance that is disconnected forgets the suspension and the device', async () => {
  const { instance, phone } = await see.connected()
  await see.strike(instance, phone, { failure: 402, code: '101', expire: BAN_SECONDS })
  await see.told(instance, 'banned', 'temporarily_banned')
  assert.equal((await world.gateway.must(instance, 'POST', '/disconnect')).status, 'logged_out')
  await see.sees(instance, 'logged_out', 'logout_requested', /API or the dashboard/)
  assert.equal((await world.gateway.must(instance, 'POST', '/restart')).status, 'starting')
})
