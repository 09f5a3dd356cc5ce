import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const world = await startWorld()
await world.sandbox.createContact(ANA, { name: 'Ana' })
const instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
// This instance is not paired, so its messages stay in the queue.
const other = await world.gateway.createInstance(world.receiver)
after(() => world.stop())

const send = (key: string | undefined, message: string, of = instance, more: object = {}) =>
  world.gateway.ask(
    of,
    'POST',
    '/send-text',
    { phone: ANA, message, ...more },
    key === undefined ? {} : { 'Idempotency-Key': key },
  )
const texts = async () => (await world.sandbox.inbox(ANA)).map(({ text }) => text)
/** Sends this text and waits until it has arrived. By then, every message that was queued before it has arrived. */
const settled = async (text: string) => {
  const { message_id } = (await send(undefined, text)).body
  await world.receiver.waitFor(`delivery of ${text}`, (event) => event.type === 'delivery' && event.message_id === message_id)
}

test('a repeat gets the first acknowledgement and sends nothing', async () => {
  const first = await send('order-1042', 'once')
  const second = await send('order-1042', 'once')
  assert.equal(second.status, 200)
  assert.deepEqual(second.body, first.body)
  await settled('after once')
  // The repeated request has its fields in another order, and names default values. It must still count as the same
  // request.
  const path = `${instance.api_url}/send-text`
  const same = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'Idempotency-Key': 'order-1042' },
    body: JSON.stringify({ link_preview: true, message: 'once', phone: ANA }),
  })
  assert.deepEqual(await same.json(), first.body)
  await settled('again')
  assert.equal((await texts()).filter((text) => text === 'once').length, 1)
})

test('many at the same time are one', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => send('at-once', 'together')))
  assert.equal(new Set(answers.map(({ body }) => body.message_id)).size, 1)
  await settled('after together')
  assert.equal((await texts()).filter((text) => text === 'together').length, 1)
})

test('the same key with another body, or for another operation, is refused', async () => {
  await send('key-a', 'one')
  const { status, body } = await send('key-a', 'two')
  assert.equal(status, 400)
  const { code, details } = body.error as { code: string; details: { issues: { path: string }[] } }
  assert.equal(code, 'invalid_request')
  assert.equal(details.issues[0]?.path, 'Idempotency-Key')
  const contact = { phone: ANA, contact_name: 'x', contact_phone: '5511900001111' }
  const elsewhere = await world.gateway.ask(instance, 'POST', '/send-contact', contact, { 'Idempotency-Key': 'key-a' })
  assert.equal(elsewhere.status, 400)
})

test('a key is of its instance, and without one every request counts', async () => {
  const here = await send('shared', 'mine')
  const there = await send('shared', 'mine', other)
  assert.notEqual(there.body.svc_id, here.body.svc_id)
  const plain = await Promise.all([send(undefined, 'twice'), send(undefined, 'twice')])
  assert.notEqual(plain[0].body.message_id, plain[1].body.message_id)
})

test('keys are 1 to 128 characters', async () => {
  assert.equal((await send('k'.repeat(128), 'long')).status, 200)
  assert.equal((await send('k'.repeat(129), 'longer')).status, 400)
  assert.equal((await send('', 'empty')).status, 400)
})

test('inline media is a part of the body that is compared', async () => {
  const image = (text: string) => `data:image/png;base64,${Buffer.from(text).toString('base64')}`
  const post = (value: string) =>
    world.gateway.ask(other, 'POST', '/send-image', { phone: ANA, image: value }, { 'Idempotency-Key': 'picture' })
  const first = await post(image('first picture'))
  assert.equal(first.status, 200)
  assert.deepEqual((await post(image('first picture'))).body, first.body)
  assert.equal((await post(image('other picture'))).status, 400)
})

test('a repeat after a restart is still a repeat', async () => {
  const first = await send('durable', 'kept', other)
  const queue = async () => (await world.gateway.must(other, 'GET', '/queue')).total
  const before = await queue()
  await world.restartService()
  const second = await send('durable', 'kept', other)
  assert.deepEqual(second.body, first.body)
  assert.equal((await world.gateway.must(other, 'GET', '/queue')).total, before)
})
