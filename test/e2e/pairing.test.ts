/**
 * Tests that a number is linked by QR code and by pairing code, and failures before the first login. A number in the
 * title of a test is a row of `workers/shard/lifecycle/table.ts`.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import { ask, must } from '../harness/http.ts'
import { startWorld } from '../harness/world.ts'
import { newPhone, watch } from './states-seen.ts'

const world = await startWorld()
const see = watch(world)
after(() => world.stop())

const WAITING = 'Waiting for the QR code or pairing code to be accepted on the phone.'
const UNCONFIRMED = 'The pairing was not confirmed; pair again.'

async function waiting() {
  const phone = newPhone()
  await world.sandbox.createPhone(phone)
  const instance = await world.gateway.createInstance(world.receiver)
  return { phone, instance }
}

interface Code {
  value: string
  expires_at: string
  connected: boolean
}
const codeOf = async (instance: Instance) => (await world.gateway.must(instance, 'GET', '/qr-code')) as unknown as Code
const act = (code: Code, what: unknown) => world.sandbox.post('/codes', { image: code.value, do: what })
const errorOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { error: { code: string } }).error.code,
]

async function nextCode(instance: Instance, before: Code): Promise<Code> {
  const until = Date.now() + 10_000
  for (;;) {
    const code = await codeOf(instance)
    if (code.value !== null && code.value !== before.value) return code
    if (Date.now() > until) assert.fail('the code stays the same')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

describe('by QR code', { concurrency: 4 }, () => {
  test('1, 2, 3: a new instance shows a code that says how long it lives', async () => {
    const { instance } = await waiting()
    await see.sees(instance, 'qr', 'pairing_required', WAITING)
    const code = await codeOf(instance)
    assert.match(code.value, /^data:image\/png;base64,/)
    assert.equal(code.connected, false)
    const life = Date.parse(code.expires_at) - Date.now()
    assert.ok(life > 50_000 && life <= 60_000, `the first code lives 60 s, not ${life} ms`)
    const image = await fetch(`${instance.api_url}/qr-code/image`)
    assert.deepEqual(
      [image.status, image.headers.get('content-type'), image.headers.get('cache-control')],
      [200, 'image/png', 'no-store'],
    )
    const png = Buffer.from(await image.arrayBuffer())
    assert.equal(png.toString('base64'), code.value.split(',')[1])
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [512, 512])
    await see.told(instance, 'qr', null)
    assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr'])
  })

  test('6, 7, 8: a scan connects the instance, with one event per change and none for the restart of the connection', async () => {
    const { instance, phone } = await waiting()
    await world.gateway.pair(instance, world.sandbox, phone)
    const me = await see.sees(instance, 'connected', null, null)
    assert.deepEqual([me.phone, me.platform], [phone, 'android'])
    assert.notEqual(me.connected_at, null)
    await see.told(instance, 'connected', null)
    assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'connecting', 'connected'])
    const connecting = see.events(instance).find(({ status }) => status === 'connecting')
    assert.equal(connecting?.phone, phone)
    assert.deepEqual(await codeOf(instance), { value: null, connected: true } as unknown as Code)
    assert.deepEqual(errorOf(await ask('GET', `${instance.api_url}/qr-code/image`)), [404, 'not_found'])
  })

  test('when the network invalidates a secret, the shown code gets a new one, and the new code is the one that scans', async () => {
    const { instance, phone } = await waiting()
    const first = await codeOf(instance)
    await act(first, 'refresh')
    const second = await nextCode(instance, first)
    assert.equal(second.expires_at, first.expires_at, 'it lives no longer for that')
    await assert.rejects(world.sandbox.scan(phone, first.value), /409/)
    await world.sandbox.scan(phone, second.value)
    await see.sees(instance, 'connected', null, null)
  })

  for (const fault of ['cut', { stream_error: 503 }, { stream_error: 500 }, { failure: 408 }] as const) {
    test(`12: ${JSON.stringify(fault)} while a code is shown brings a new code, and no event`, async () => {
      const { instance, phone } = await waiting()
      const first = await codeOf(instance)
      await act(first, fault)
      const second = await nextCode(instance, first)
      await see.sees(instance, 'qr', 'pairing_required', WAITING)
      await assert.rejects(world.sandbox.scan(phone, first.value), /409/)
      await world.sandbox.scan(phone, second.value)
      await see.sees(instance, 'connected', null, null)
      await see.told(instance, 'connected', null)
      assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'connecting', 'connected'])
    })
  }

  test('13: an account that takes no linked devices stops it, and asking for a code starts it anew', async () => {
    const { instance } = await waiting()
    await act(await codeOf(instance), { failure: 411 })
    await see.sees(
      instance,
      'stopped',
      'multidevice_mismatch',
      'The account cannot use linked devices; update the app on the phone.',
    )
    assert.equal((await see.told(instance, 'stopped', 'multidevice_mismatch')).previous_status, 'qr')
    assert.match((await codeOf(instance)).value, /^data:image/)
  })

  test('9: a login that is refused right after the scan is a pairing that failed', async () => {
    const { instance, phone } = await waiting()
    await world.sandbox.fault({ on: 'login', match: { phone }, do: { failure: 401 }, times: 1 })
    await world.sandbox.scan(phone, (await codeOf(instance)).value)
    await see.sees(instance, 'logged_out', 'pairing_failed', UNCONFIRMED)
    assert.equal((await see.told(instance, 'logged_out', 'pairing_failed')).previous_status, 'connecting')
    await world.gateway.pair(instance, world.sandbox, phone)
  })

  test('9: a 401 in place of the restart is a pairing that failed', async () => {
    const { instance, phone } = await waiting()
    await world.sandbox.fault({ on: 'pairing', match: { phone }, do: { failure: 401 }, times: 1 })
    await world.sandbox.scan(phone, (await codeOf(instance)).value)
    await see.sees(instance, 'logged_out', 'pairing_failed', UNCONFIRMED)
  })

  test('15: a link that is cut in place of the restart logs in with what was agreed', async () => {
    const { instance, phone } = await waiting()
    await world.sandbox.fault({ on: 'pairing', match: { phone }, do: 'cut', times: 1 })
    await world.sandbox.scan(phone, (await codeOf(instance)).value)
    await see.sees(instance, 'connected', null, null)
  })

  test('29: a restart while a code is shown brings a new one with new keys', async () => {
    const { instance, phone } = await waiting()
    const first = await codeOf(instance)
    const answer = await world.gateway.ask(instance, 'POST', '/restart')
    assert.deepEqual([answer.status, answer.body], [201, { value: true, status: 'starting' }])
    const second = await nextCode(instance, first)
    await assert.rejects(world.sandbox.scan(phone, first.value), /409/)
    await world.sandbox.scan(phone, second.value)
    await see.sees(instance, 'connected', null, null)
    await see.told(instance, 'connected', null)
    assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'starting', 'qr', 'connecting', 'connected'])
  })

  test('22, 31: a disconnect while a code is shown ends the session, and asking for a code starts another', async () => {
    const { instance, phone } = await waiting()
    const first = await codeOf(instance)
    assert.deepEqual(await world.gateway.must(instance, 'POST', '/disconnect'), { value: true, status: 'logged_out' })
    await see.sees(
      instance,
      'logged_out',
      'logout_requested',
      'The account was disconnected with the API or the dashboard, not on the phone; pair again.',
    )
    await assert.rejects(world.sandbox.scan(phone, first.value), /409/)
    assert.deepEqual(errorOf(await ask('GET', `${instance.api_url}/qr-code/image`)), [404, 'not_found'])
    await see.sees(
      instance,
      'logged_out',
      'logout_requested',
      'The account was disconnected with the API or the dashboard, not on the phone; pair again.',
    )
    assert.match((await codeOf(instance)).value, /^data:image/)
    await see.told(instance, 'qr', null, 4)
    assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'logged_out', 'starting', 'qr'])
  })
})

const phoneCode = (instance: Instance, phone: string) => world.gateway.ask(instance, 'GET', `/phone-code/${phone}`)

describe('by pairing code', { concurrency: 4 }, () => {
  test('a wrong code is refused on the phone, the right one links, and asking twice gives the same', async () => {
    const { instance, phone } = await waiting()
    const answer = await phoneCode(instance, phone)
    assert.equal(answer.status, 200)
    const { value } = answer.body
    assert.match(String(value), /^[0-9A-Z]{8}$/)
    assert.deepEqual((await phoneCode(instance, phone)).body, { value })
    await assert.rejects(world.sandbox.enterCode(phone, 'WRNGC0DE'), /409/)
    await see.sees(instance, 'qr', 'pairing_required', WAITING)
    await world.sandbox.enterCode(phone, String(value))
    const me = await see.sees(instance, 'connected', null, null)
    assert.equal(me.phone, phone)
    await see.told(instance, 'connected', null)
    assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'connecting', 'connected'])
    assert.deepEqual(errorOf(await phoneCode(instance, phone)), [409, 'instance_already_connected'])
  })

  test('12: when its link is lost the code is worthless, and the keys made for it are not used to log in', async () => {
    const { instance, phone } = await waiting()
    const first = await codeOf(instance)
    const before = await phoneCode(instance, phone)
    await act(first, 'cut')
    await nextCode(instance, first)
    const after = await phoneCode(instance, phone)
    assert.notEqual(after.body.value, before.body.value)
    await world.sandbox.enterCode(phone, String(after.body.value))
    await see.sees(instance, 'connected', null, null)
    await see.told(instance, 'connected', null)
    assert.deepEqual(await see.path(instance), ['created', 'starting', 'qr', 'connecting', 'connected'])
  })

  test('a QR code still links after a pairing code was asked for', async () => {
    const { instance, phone } = await waiting()
    await phoneCode(instance, phone)
    await world.gateway.pair(instance, world.sandbox, phone)
  })

  test('the QR code that is shown links after a wrong pairing code was entered, which has changed the secret', async () => {
    const { instance, phone } = await waiting()
    const first = await codeOf(instance)
    await phoneCode(instance, phone)
    await assert.rejects(world.sandbox.enterCode(phone, 'WRNGC0DE'), /409/)
    const second = await nextCode(instance, first)
    // Both codes contain the same reference, so they must expire at the same time. This time is computed from two
    // clocks, so it may differ slightly.
    const later = Date.parse(second.expires_at) - Date.parse(first.expires_at)
    assert.ok(Math.abs(later) < 1_000, `it is the same reference, and ends ${later} ms later`)
    await world.sandbox.scan(phone, second.value)
    await see.sees(instance, 'connected', null, null)
  })

  test('a number that cannot be one is refused before the network is asked', async () => {
    const { instance } = await waiting()
    for (const bad of ['0511999990000', '12345', 'abc'])
      assert.deepEqual(errorOf(await phoneCode(instance, bad)), [400, 'invalid_phone'])
  })
})

describe('34: an instance that is deleted', { concurrency: 4 }, () => {
  const remove = (instance: Instance) =>
    ask('DELETE', `${world.gateway.baseUrl}/account/instances/${instance.id}`, undefined, world.gateway.account)
  async function devicesOf(phone: string): Promise<unknown[] | undefined> {
    const { phones } = await must<{ phones: { phone: string; devices: unknown[] }[] }>('GET', `${world.sandbox.url}/state`)
    return phones.find((each) => each.phone === phone)?.devices
  }
  /**
   * Checks that the instance no longer exists: requests for an unknown instance are answered with 401, like
   * requests with a wrong token.
   */
  const isGone = async (instance: Instance) => assert.equal((await ask('GET', `${instance.api_url}/status`)).status, 401)

  test('while connected the phone loses the device, and what waited is gone', async () => {
    const { instance, phone } = await see.connected()
    await world.gateway.sendText(instance, '5511977770004', 'never', { delay_message: 15 })
    assert.ok((await remove(instance)).status < 300)
    await isGone(instance)
    assert.deepEqual(await devicesOf(phone), [])
  })

  test('while it logs in the phone loses the device, too', async () => {
    const { instance, phone } = await see.connected()
    await world.sandbox.fault({ on: 'login', match: { phone }, do: { delay_ms: 500 }, times: 1 })
    await world.gateway.must(instance, 'POST', '/restart')
    assert.ok((await remove(instance)).status < 300)
    assert.deepEqual(await devicesOf(phone), [])
  })

  test('an action that waits for the network is told that the instance is gone', async () => {
    const { instance, phone } = await see.connected()
    await world.sandbox.fault({ on: 'query', match: { phone, xmlns: 'usync' }, do: 'drop' })
    const match = { account: phone, from: 'client', tag: 'iq', xmlns: 'usync' }
    const { id } = await world.sandbox.post<{ id: string }>('/expect', { match, wait_ms: 0 })
    const action = ask('GET', `${instance.api_url}/phone-exists/5511977770009`)
    await must('GET', `${world.sandbox.url}/expect/${id}?wait_ms=20000`)
    assert.ok((await remove(instance)).status < 300)
    const { status, body } = await action
    assert.deepEqual([status, (body as { error: { code: string } }).error.code], [404, 'instance_not_found'])
  })

  test('while disconnected it goes as well, and its retries with it', async () => {
    const { instance, phone } = await see.connected()
    await see.keepOut(instance, phone)
    assert.ok((await remove(instance)).status < 300)
    await isGone(instance)
  })

  test('while a code is shown the code ends', async () => {
    const { instance, phone } = await waiting()
    const code = await codeOf(instance)
    assert.ok((await remove(instance)).status < 300)
    await isGone(instance)
    await assert.rejects(world.sandbox.scan(phone, code.value), /409/)
  })

  test('after a logout there is nothing left to log out', async () => {
    const { instance } = await waiting()
    await world.gateway.must(instance, 'POST', '/disconnect')
    assert.ok((await remove(instance)).status < 300)
    await isGone(instance)
  })
})

// The fault below is not limited to one instance, because an instance that shows a code has no number yet.
test('a code the network refuses is not given out, and the next one is asked for anew', async () => {
  const { instance, phone } = await waiting()
  await world.sandbox.fault({
    on: 'query',
    match: { child: 'link_code_companion_reg' },
    do: { query_error: [429, 'rate-overlimit'] },
    times: 1,
  })
  assert.deepEqual(errorOf(await phoneCode(instance, phone)), [502, 'action_failed'])
  await see.sees(instance, 'qr', 'pairing_required', WAITING)
  const again = await phoneCode(instance, phone)
  await world.sandbox.enterCode(phone, String(again.body.value))
  await see.sees(instance, 'connected', null, null)
})
