/**
 * Tests connections that are lost, and that the service opens again by itself: among others rows 4, 7, 8, 17 and 18 of
 * `workers/shard/lifecycle/table.ts`.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { amount } from '../harness/amount.ts'
import type { Instance } from '../harness/gateway.ts'
import { startWorld } from '../harness/world.ts'
import { watch } from './states-seen.ts'

const world = await startWorld()
const see = watch(world)
after(() => world.stop())

const SENTENCES: Record<string, string> = {
  connection_lost: 'The connection to the network was lost; reconnecting.',
  connection_closed: 'The network closed the connection; reconnecting.',
  service_unavailable: 'The network is temporarily unavailable; reconnecting.',
  stream_error: 'The network reported a stream error; reconnecting.',
  client_outdated: 'The network rejected the client version; updating and reconnecting.',
  connect_failure: 'The network refused the login; reconnecting.',
}

type Fault = 'cut' | { stream_error: number } | { failure: number }

/**
 * Faults that end a connection or a login: the fault, the reason that the service must report, and the states in which
 * it happens.
 */
const LOSSES: [fault: Fault, reason: string, from: ('connected' | 'connecting')[]][] = [
  ['cut', 'connection_closed', ['connected', 'connecting']],
  [{ stream_error: 503 }, 'service_unavailable', ['connected', 'connecting']],
  [{ stream_error: 500 }, 'stream_error', ['connected', 'connecting']],
  [{ stream_error: 515 }, 'stream_error', ['connected']],
  [{ stream_error: 501 }, 'stream_error', ['connected']],
  [{ failure: 503 }, 'service_unavailable', ['connecting']],
  [{ failure: 400 }, 'connect_failure', ['connecting']],
  [{ failure: 405 }, 'client_outdated', ['connected', 'connecting']],
  [{ failure: 408 }, 'connection_lost', ['connecting']],
  [{ failure: 409 }, 'connect_failure', ['connected', 'connecting']],
  [{ failure: 415 }, 'connect_failure', ['connecting']],
  [{ failure: 418 }, 'connect_failure', ['connecting']],
]

async function fail(instance: Instance, phone: string, from: string, fault: Fault) {
  if (from === 'connected') return see.strike(instance, phone, fault)
  await world.sandbox.fault({ on: 'login', match: { phone }, do: fault, times: 1 })
  return world.gateway.must(instance, 'POST', '/restart')
}

describe('a link that is lost', { concurrency: 6 }, () => {
  for (const [fault, reason, states] of LOSSES) {
    for (const from of amount(states, fault === 'cut' ? states : states.slice(-1))) {
      const row = from === 'connected' ? '14' : '15'
      test(`${row}, 16: ${JSON.stringify(fault)} while ${from} is ${reason}, and the instance connects again by itself`, async () => {
        const { gateway, sandbox } = world
        const { instance, phone } = await see.connected()
        const before = await gateway.must(instance, 'GET', '/me')
        await fail(instance, phone, from, fault)
        const me = await see.sees(instance, 'disconnected', reason, SENTENCES[reason]!)
        assert.ok(Date.parse(String(me.disconnected_at)) >= Date.parse(String(before.connected_at)))
        const event = await see.told(instance, 'disconnected', reason)
        assert.deepEqual([event.previous_status, event.reason], [from, SENTENCES[reason]])
        const text = `kept over ${JSON.stringify(fault)} while ${from}`
        const to = `55${phone.slice(-11)}`
        await gateway.sendText(instance, to, text)
        const again = await see.sees(instance, 'connected', null, null)
        assert.equal(again.disconnected_at, null)
        assert.ok(Date.parse(String(again.connected_at)) > Date.parse(String(before.connected_at)))
        const [item] = await sandbox.inbox(to, 0, 10_000)
        assert.equal(item?.text, text)
        await see.told(instance, 'connected', null, see.events(instance).indexOf(event))
        assert.deepEqual((await see.path(instance)).slice(4), [
          'connected',
          ...(from === 'connecting' ? ['connecting'] : []),
          'disconnected',
          'connected',
        ])
      })
    }
  }

  test('7: a restart the network asks for while logging in is internal, and no event tells of it', async () => {
    const { instance, phone } = await see.connected()
    await world.sandbox.fault({ on: 'login', match: { phone }, do: { stream_error: 515 }, times: 3 })
    await world.gateway.must(instance, 'POST', '/restart')
    await world.gateway.waitForStatus(instance, 'connected')
    await see.told(instance, 'connected', null, 5)
    assert.deepEqual((await see.path(instance)).slice(4), ['connected', 'connecting', 'connected'])
  })

  // An earlier bug: a lost connection counted as a failed login, even after a successful login, and doubled the delay
  // of the next login.
  test('a cut behind a login that succeeded does not lengthen the delay of the next one', async () => {
    const { instance, phone } = await see.connected()
    await world.sandbox.fault({ on: 'query', match: { phone, xmlns: 'passive' }, do: 'cut', times: 6 })
    await world.sandbox.cut(phone)
    await see.told(instance, 'disconnected', 'connection_closed')
    await see.told(instance, 'connected', null, 6)
    assert.deepEqual((await see.path(instance)).slice(4), ['connected', 'disconnected', 'connected'])
  })

  test('18: three refusals of the client version in a row stop it; a restart tries again', async () => {
    const { instance, phone } = await see.connected()
    await world.sandbox.fault({ on: 'login', match: { phone }, do: { failure: 405 }, times: 3 })
    await world.gateway.must(instance, 'POST', '/restart')
    await see.sees(
      instance,
      'stopped',
      'client_outdated',
      'The network rejected the client version; update the service and restart.',
    )
    assert.equal((await see.told(instance, 'stopped', 'client_outdated')).previous_status, 'disconnected')
    assert.equal((await world.gateway.must(instance, 'POST', '/restart')).status, 'connecting')
    await see.sees(instance, 'connected', null, null)
    // The API answers with the state that the main thread knows. The webhook about this state may arrive later, so the
    // test waits for it.
    await see.told(instance, 'connected', null, 5)
    assert.deepEqual((await see.path(instance)).slice(4), [
      'connected',
      'connecting',
      'disconnected',
      'stopped',
      'connecting',
      'connected',
    ])
  })
})

test('14: the whole network down and up again brings everybody back', async () => {
  const all = await Promise.all(Array.from({ length: 3 }, () => see.connected()))
  await world.sandbox.setDown(true)
  for (const { instance } of all) await see.told(instance, 'disconnected', 'connection_closed')
  // If a retry fails, the reason changes, but the status stays the same.
  for (const { instance } of all) await see.sees(instance, 'disconnected', 'connection_lost', SENTENCES.connection_lost!)
  await world.sandbox.setDown(false)
  for (const { instance } of all) {
    await see.sees(instance, 'connected', null, null)
    await see.told(instance, 'connected', null, 5)
    assert.deepEqual((await see.path(instance)).slice(4), ['connected', 'disconnected', 'connected'])
  }
})

test('14: an HTTP error in place of the connection does not end the tries', async () => {
  const { instance, phone } = await see.connected()
  // Instances of earlier tests may also be connecting, so the fault is not for one connection only.
  await world.sandbox.fault({ on: 'connect', do: { http_status: 503 } })
  await world.sandbox.cut(phone)
  await see.told(instance, 'disconnected', 'connection_closed')
  await see.sees(instance, 'disconnected', 'connection_lost', SENTENCES.connection_lost!)
  await world.sandbox.clearFaults()
  await see.sees(instance, 'connected', null, null)
})
