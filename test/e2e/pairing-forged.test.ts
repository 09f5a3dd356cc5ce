/**
 * Tests forged certificates of the network and forged signatures of an account. The service must refuse both. With
 * `SVC_NETWORK_VERIFY=warn`, it accepts a forged certificate, but still no forged signature.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { amount, repetition } from '../harness/amount.ts'
import { startWorld, type World } from '../harness/world.ts'
import { newPhone, watch } from './states-seen.ts'

interface State {
  phones: { phone: string; devices: { connected: boolean }[] }[]
}

for (const verify of ['strict', 'warn'] as const) {
  describe(`with verify ${verify}`, () => {
    let world: World
    let see: ReturnType<typeof watch>
    const skip = verify === 'warn' && repetition
    before(async () => {
      // This network refuses the queries after a login without a pairing, unlike the real network. So no trace of the
      // stanzas is written, because the check of the traces would fail.
      world = await startWorld({ env: { SVC_NETWORK_VERIFY: verify }, untraced: true })
      see = watch(world)
    })
    after(() => world.stop())

    test('a forged signature of the account is refused, and the next scan links', { skip }, async () => {
      const { sandbox, gateway, receiver } = world
      const phone = newPhone()
      await sandbox.createPhone(phone)
      const instance = await gateway.createInstance(receiver)
      await sandbox.forge('account_signature')
      const { value } = await gateway.must(instance, 'GET', '/qr-code')
      await assert.rejects(sandbox.scan(phone, String(value)), /409.*refused the pairing: not-authorized/)
      await see.sees(instance, 'qr', 'pairing_failed', /could not be verified/)
      await see.sees(instance, 'qr', 'pairing_required', /Waiting/)
      await gateway.pair(instance, sandbox, phone)
      await see.told(instance, 'connected', null)
      assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'connecting', 'connected'])
    })

    // An earlier bug: if the network confirmed a login before anybody had paired, the instance became `connected`
    // without an account.
    test('who is greeted as logged in before anybody has paired is of no account: the start has failed', { skip }, async () => {
      const { sandbox, gateway, receiver } = world
      const { id } = await sandbox.post<{ id: string }>('/expect', { match: { from: 'server', child: 'pair-device' } })
      const instance = await gateway.createInstance(receiver)
      assert.equal(instance.status, 'qr')
      const { items } = await sandbox.get<{ items: { conn: string }[] }>(`/expect/${id}?wait_ms=10000`)
      const node = [
        'success',
        { t: Math.floor(Date.now() / 1_000), props: '2', companion_enc_static: 'x', lid: '81896604190099@lid' },
      ]
      await sandbox.post('/stanzas', { conn: items[0]!.conn, node })
      await see.sees(instance, 'stopped', 'start_failed', 'The session could not be started.')
      await see.told(instance, 'stopped', 'start_failed')
      assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'stopped'])
      // A failed start must leave no data behind, so that the next pairing works.
      const phone = newPhone()
      await sandbox.createPhone(phone)
      await gateway.pair(instance, sandbox, phone)
      await see.told(instance, 'connected', null)
    })

    if (verify === 'strict') strict()
    else lax()

    function strict() {
      for (const what of ['root', 'leaf']) {
        test(`a server with a forged ${what} is never logged in to, and the real one afterwards is`, async () => {
          const { instance } = await see.connected()
          await world.sandbox.forge(what)
          await world.gateway.must(instance, 'POST', '/restart')
          const event = await see.told(instance, 'disconnected', 'connect_failure')
          assert.deepEqual([event.previous_status, event.reason], ['connecting', 'The network refused the login; reconnecting.'])
          await see.told(instance, 'connected', null, 5)
          // The instance must not connect to the forged server: the handshake must end before the client sends its
          // identity.
          assert.deepEqual((await see.path(instance)).slice(4), ['connected', 'connecting', 'disconnected', 'connected'])
        })

        test(`a server with a forged ${what} is not shown to anybody who pairs`, async () => {
          const { sandbox, gateway, receiver } = world
          await sandbox.forge(what)
          const instance = await gateway.createInstance(receiver)
          assert.equal(instance.status, 'qr', 'the second server was the real one')
          const retried = Number((await see.told(instance, 'qr', null)).momment) - Number(see.events(instance)[1]?.momment)
          // The first retry starts at least 0.8 s later. So a code that comes after this time is not from the forged
          // server.
          assert.ok(retried >= 800, `a code after ${retried} ms`)
          assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr'])
        })
      }
    }

    function lax() {
      for (const what of amount(['root', 'leaf'], ['leaf'])) {
        test(`a forged ${what} passes`, async () => {
          const { instance, phone } = await see.connected()
          await world.sandbox.forge(what)
          await world.gateway.must(instance, 'POST', '/restart')
          await see.told(instance, 'connected', null, 5)
          assert.deepEqual((await see.path(instance)).slice(4), ['connected', 'connecting', 'connected'])
          const { phones } = (await (await fetch(`${world.sandbox.url}/state`)).json()) as State
          const [device] = phones.find((each) => each.phone === phone)?.devices ?? []
          assert.equal(device?.connected, true)
        })
      }
    }
  })
}
