/**
 * Tests the answers of the API in each state of an instance. The state `created` is tested in `states-timers.test.ts`.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import { ask } from '../harness/http.ts'
import { startWorld } from '../harness/world.ts'
import { newPhone, watch } from './states-seen.ts'

const world = await startWorld()
const see = watch(world)
after(() => world.stop())

interface Answers {
  status: string
  /** Error code of operations in this state, or null if they succeed. */
  action: string | null
  qr: 'image' | null
  phoneCode: string | null
  restart: string
  make(): Promise<{ instance: Instance; phone: string }>
}

async function waiting() {
  const phone = newPhone()
  await world.sandbox.createPhone(phone)
  return { phone, instance: await world.gateway.createInstance(world.receiver) }
}

async function struck(fault: Record<string, unknown>, status: string) {
  const made = await see.connected()
  await see.strike(made.instance, made.phone, fault)
  await world.gateway.waitForStatus(made.instance, status)
  return made
}

const CASES: Answers[] = [
  { status: 'qr', action: 'instance_not_connected', qr: 'image', phoneCode: null, restart: 'starting', make: waiting },
  {
    status: 'connecting',
    action: 'instance_starting',
    qr: null,
    phoneCode: 'instance_starting',
    restart: 'connecting',
    async make() {
      const made = await see.connected()
      await world.sandbox.fault({ on: 'login', match: { phone: made.phone }, do: 'drop' })
      await world.gateway.must(made.instance, 'POST', '/restart')
      return made
    },
  },
  {
    status: 'connected',
    action: null,
    qr: null,
    phoneCode: 'instance_already_connected',
    restart: 'connecting',
    make: () => see.connected(),
  },
  {
    status: 'disconnected',
    action: 'instance_not_connected',
    qr: null,
    phoneCode: 'instance_not_connected',
    restart: 'connecting',
    async make() {
      const made = await see.connected()
      await see.keepOut(made.instance, made.phone)
      return made
    },
  },
  {
    status: 'logged_out',
    action: 'instance_not_connected',
    qr: 'image',
    phoneCode: 'instance_not_connected',
    restart: 'starting',
    make: () => struck({ failure: 403 }, 'logged_out'),
  },
  {
    status: 'banned',
    action: 'instance_not_connected',
    qr: 'image',
    phoneCode: 'instance_not_connected',
    restart: 'starting',
    make: () => struck({ failure: 406 }, 'banned'),
  },
  {
    status: 'stopped',
    action: 'instance_not_connected',
    qr: 'image',
    phoneCode: 'instance_not_connected',
    restart: 'starting',
    async make() {
      const made = await waiting()
      const { value } = await world.gateway.must(made.instance, 'GET', '/qr-code')
      await world.sandbox.post('/codes', { image: value, do: { failure: 411 } })
      await world.gateway.waitForStatus(made.instance, 'stopped')
      return made
    },
  },
]

type Body = { error?: { code: string }; value?: unknown; connected?: boolean; status?: string }
const get = (instance: Instance, path: string) => ask<Body>('GET', instance.api_url + path)
const post = (instance: Instance, path: string, body?: unknown) => ask<Body>('POST', instance.api_url + path, body)

async function sends(instance: Instance, status: string, phone: string) {
  const { gateway, sandbox } = world
  const to = `54${phone.slice(-11)}`
  const isConnected = status === 'connected'
  await gateway.must(instance, 'PUT', '/settings', { disable_enqueue_when_disconnected: true })
  const refused = await post(instance, '/send-text', { phone: to, message: 'not while disconnected' })
  if (isConnected) assert.equal(refused.status, 200)
  else assert.deepEqual([refused.status, refused.body.error?.code], [409, 'queue_disabled_while_disconnected'])
  await gateway.must(instance, 'PUT', '/settings', { disable_enqueue_when_disconnected: false })
  assert.equal((await post(instance, '/send-text', { phone: to, message: 'accepted' })).status, 200)
  if (!isConnected) assert.equal(await see.queued(instance), 1, 'the queue does not drain')
  else assert.equal((await sandbox.inbox(to, 0, 10_000)).length > 0, true, 'the queue drains')
}

describe('what each state answers', { concurrency: 4 }, () => {
  for (const { status, action, qr, phoneCode, restart, make } of CASES) {
    test(status, async () => {
      const { instance, phone } = await make()
      const device = await get(instance, '/device')
      assert.deepEqual([device.status, device.body.error?.code ?? null], [action === null ? 200 : 409, action])
      await sends(instance, status, phone)
      const code = await get(instance, `/phone-code/${phone}`)
      assert.deepEqual([code.status, code.body.error?.code ?? null], [phoneCode === null ? 200 : 409, phoneCode])
      assert.equal((await get(instance, '/status')).body.status, status, 'none of these changes it')
      const shown = await get(instance, '/qr-code')
      assert.equal(shown.status, 200)
      assert.equal(shown.headers.get('cache-control'), 'no-store')
      assert.equal(shown.body.connected, status === 'connected')
      if (qr === null) assert.equal(shown.body.value, null)
      else assert.match(String(shown.body.value), /^data:image\/png/)
      if (qr === null) assert.equal((await get(instance, '/status')).body.status, status, 'asking for a code changes nothing')
    })

    test(`${status}, restarted and disconnected`, async () => {
      const { instance } = await make()
      const again = await post(instance, '/restart')
      assert.deepEqual([again.status, again.body], [201, { value: true, status: restart }])
      const ended = await post(instance, '/disconnect')
      assert.deepEqual([ended.status, ended.body], [201, { value: true, status: 'logged_out' }])
    })
  }
})

test('starting: everything says so', async () => {
  const { gateway, sandbox, receiver } = world
  const phone = newPhone()
  const instance = await gateway.createInstance(receiver)
  await gateway.must(instance, 'POST', '/disconnect')
  // The instance then stays in the state `starting` until the test removes the fault.
  await sandbox.fault({ on: 'connect', do: 'drop' })
  assert.equal((await post(instance, '/restart')).body.status, 'starting')
  assert.deepEqual((await get(instance, '/device')).body.error?.code, 'instance_starting')
  assert.deepEqual((await get(instance, `/phone-code/${phone}`)).body.error?.code, 'instance_starting')
  await sends(instance, 'starting', phone)
  assert.equal((await get(instance, '/status')).body.error, 'The session is starting.')
  await sandbox.clearFaults()
  await gateway.must(instance, 'POST', '/disconnect')
})

test('starting: a code that is asked for is waited for', async () => {
  const { gateway, sandbox, receiver } = world
  const instance = await gateway.createInstance(receiver)
  await gateway.must(instance, 'POST', '/disconnect')
  await sandbox.fault({ on: 'connect', do: { delay_ms: 1_000 }, times: 1 })
  assert.equal((await post(instance, '/restart')).body.status, 'starting')
  const { body } = await get(instance, '/qr-code')
  assert.match(String(body.value), /^data:image/)
})

test('starting: a code that does not come within 8 s is not waited for any longer; a disconnect ends the start', async () => {
  const { gateway, sandbox, receiver } = world
  const instance = await gateway.createInstance(receiver)
  await gateway.must(instance, 'POST', '/disconnect')
  // The fault exists until the end of the test. It also affects other instances of this file that connect.
  await sandbox.fault({ on: 'connect', do: 'drop' })
  assert.deepEqual((await get(instance, '/qr-code')).body, { value: null, connected: false })
  assert.equal((await get(instance, '/status')).body.status, 'starting')
  const ended = await post(instance, '/disconnect')
  assert.deepEqual(ended.body, { value: true, status: 'logged_out' })
  await sandbox.clearFaults()
})

test('the name of the account is shown as soon as the phone tells it, and when it changes', async () => {
  const phone = newPhone()
  await world.sandbox.createPhone(phone, { name: 'Support' })
  const instance = await world.gateway.createInstance(world.receiver)
  await world.gateway.pair(instance, world.sandbox, phone)
  await see.told(instance, 'connected', null)
  const told = see.events(instance).length
  // Messages of the phone contain the name of the account. So the service learns the name from this message.
  await world.sandbox.sendFromPhone(phone, '5511988887777', { text: 'from the phone' })
  for (const until = Date.now() + 10_000; ; ) {
    const me = await world.gateway.must(instance, 'GET', '/me')
    if (me.profile_name === 'Support') break
    assert.ok(Date.now() < until, `the name is ${me.profile_name}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.equal((await world.gateway.must(instance, 'GET', '/device')).name, 'Support')
  assert.equal(see.events(instance).length, told, 'a name is no change of status')
})
