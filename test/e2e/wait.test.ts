import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Ack, Instance } from '../harness/gateway.ts'
import { ask } from '../harness/http.ts'
import { startWorldOfTwo } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const NOBODY = '5511988880000'

/** `unpaired`: an instance that is never paired, so its messages stay in the queue. */
const { world, instance, unpaired } = await startWorldOfTwo({ me: ME, contact: ANA, own: true })
after(() => world.stop())

interface Outcome extends Ack {
  error_code?: string
  error_message?: string
}

const post = (of: Instance, path: string, body: object, prefer: string, more: Record<string, string> = {}) =>
  ask<Outcome>('POST', of.api_url + path, body, { Prefer: prefer, ...more })
const text = (message: string, prefer: string, { of = instance, to = ANA, more = {} } = {}) =>
  post(of, '/send-text', { phone: to, message, ...more }, prefer)
const deliveryOf = (messageId: string) =>
  world.receiver.waitFor(`delivery of ${messageId}`, ({ type, message_id }) => type === 'delivery' && message_id === messageId)
const texts = async () => (await world.sandbox.inbox(ANA)).map(({ text }) => text)

test('a send that is waited for answers sent, when the network has taken it', async () => {
  const { status, body, headers } = await text('worth waiting for', 'wait=30')
  assert.equal(status, 200)
  assert.equal(headers.get('Preference-Applied'), 'wait')
  assert.deepEqual(Object.keys(body).sort(), ['id', 'message_id', 'status', 'svc_id'])
  assert.equal(body.status, 'sent')
  assert.equal(body.id, body.message_id)
  assert.equal((await deliveryOf(body.message_id)).svc_id, body.svc_id)
  assert.ok((await texts()).includes('worth waiting for'))
})

test('every kind of send can be waited for', async () => {
  const location = { phone: ANA, title: 'Office', address: 'Av. Paulista, 1000', latitude: -23.5, longitude: -46.6 }
  assert.equal((await post(instance, '/send-location', location, 'wait=30')).body.status, 'sent')
  const image = `data:image/png;base64,${Buffer.from('no picture at all').toString('base64')}`
  const { body } = await post(instance, '/send-image', { phone: ANA, image }, 'respond-async, wait="30"')
  assert.deepEqual([body.status, body.error_code], ['failed', 'media_invalid'])
})

test('a send that fails answers failed with the reason of its delivery', async () => {
  const { status, body, headers } = await text('hello?', 'wait=30', { to: NOBODY })
  assert.equal(status, 200)
  assert.equal(headers.get('Preference-Applied'), 'wait')
  assert.equal(body.status, 'failed')
  const delivery = await deliveryOf(body.message_id)
  assert.deepEqual([body.error_code, body.error_message], [delivery.error_code, delivery.error_message])
  assert.equal(body.error_code, 'phone_not_on_whatsapp')
})

test('when the time is over the answer is queued, and the message waits on', async () => {
  const { status, body, headers } = await text('later', 'wait=1', { of: unpaired })
  assert.deepEqual([status, body.status, headers.get('Preference-Applied')], [200, 'queued', null])
  const queue = await world.gateway.must(unpaired, 'GET', '/queue')
  assert.ok((queue.data as { svc_id: string }[]).some(({ svc_id }) => svc_id === body.svc_id))
})

test('what is no wait is ignored', async () => {
  for (const prefer of ['wait=0', 'wait=soon', 'wait', 'return=minimal', ''])
    assert.equal((await text('not waited for', prefer, { of: unpaired })).body.status, 'queued', prefer)
})

test('a message that is removed from the queue is no more waited for', async () => {
  const begun = [text('taken out', 'wait=30', { of: unpaired }), text('taken out, too', 'wait=30', { of: unpaired })]
  const waiting = async () =>
    (await world.gateway.must(unpaired, 'GET', '/queue?page_size=100')).data as { svc_id: string; preview: string }[]
  const find = async (preview: string) => {
    for (;;) {
      const found = (await waiting()).find((item) => item.preview === preview)
      if (found) return found.svc_id
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const svcId = await find('taken out')
  await find('taken out, too')
  await world.gateway.must(unpaired, 'DELETE', `/queue/${svcId}`)
  const [one, other] = begun
  const { status, body, headers } = await one!
  assert.deepEqual([status, body.status, body.svc_id, headers.get('Preference-Applied')], [200, 'removed', svcId, 'wait'])
  assert.equal(body.error_code, undefined)
  await world.gateway.must(unpaired, 'DELETE', '/queue')
  assert.equal((await other!).body.status, 'removed')
  assert.deepEqual(await waiting(), [])
})

test('whoever waits while the instance is deleted is told so at once', async () => {
  const doomed = await world.gateway.createInstance(null)
  const waiting = [text('never', 'wait=30', { of: doomed }), text('never, either', 'wait=30', { of: doomed })]
  while (Number((await world.gateway.must(doomed, 'GET', '/queue')).total) < waiting.length)
    await new Promise((resolve) => setTimeout(resolve, 10))
  const begun = performance.now()
  const path = `${world.gateway.baseUrl}/account/instances/${doomed.id}`
  const deleted = ask('DELETE', path, undefined, world.gateway.account)
  for (const each of waiting) {
    const { status, body, headers } = await each
    const { error } = body as unknown as { error: { code: string; message: string } }
    assert.deepEqual([status, error.code], [404, 'instance_not_found'])
    assert.equal(error.message, 'The instance is no longer on this server.')
    assert.equal(headers.get('Preference-Applied'), null)
  }
  // The callers had requested a wait of 30 s. They get their answers earlier, because the instance
  // is deleted.
  assert.ok(performance.now() - begun < 25_000)
  assert.equal((await deleted).status, 200)
  assert.equal((await text('too late', 'wait=30', { of: doomed })).status, 401)
})

test('a caller who goes away loses nothing, and the same key finds the outcome', async () => {
  const leaving = new AbortController()
  const request = { phone: ANA, message: 'gone before it left', delay_message: 2 }
  const headers = { 'content-type': 'application/json', Prefer: 'wait=30', 'Idempotency-Key': 'gone' }
  const left = fetch(`${instance.api_url}/send-text`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
    signal: leaving.signal,
  })
  const isQueued = async () => Number((await world.gateway.must(instance, 'GET', '/queue')).total) > 0
  while (!(await isQueued())) await new Promise((resolve) => setTimeout(resolve, 10))
  leaving.abort()
  await assert.rejects(left)
  const { body } = await post(instance, '/send-text', request, 'wait=30', { 'Idempotency-Key': 'gone' })
  assert.equal(body.status, 'sent')
  assert.equal((await post(instance, '/send-text', request, 'wait=30', { 'Idempotency-Key': 'gone' })).body.status, 'sent')
  assert.equal((await texts()).filter((each) => each === 'gone before it left').length, 1)
})

test('a shard that starts again meanwhile changes nothing for who waits', async () => {
  const waiting = text('through a crash', 'wait=30', { more: { delay_message: 4 } })
  const isQueued = async () => Number((await world.gateway.must(instance, 'GET', '/queue')).total) > 0
  while (!(await isQueued())) await new Promise((resolve) => setTimeout(resolve, 10))
  await world.service.engine.crashShard(0)
  const { body, headers } = await waiting
  assert.deepEqual([body.status, headers.get('Preference-Applied')], ['sent', 'wait'])
  assert.equal((await texts()).filter((each) => each === 'through a crash').length, 1)
})

test('a stop of the service answers who waits that the message is in the queue, and it leaves after the start', async () => {
  const waiting = text('over the night', 'wait=30', { more: { delay_message: 15 } })
  const isQueued = async () => Number((await world.gateway.must(instance, 'GET', '/queue')).total) > 0
  while (!(await isQueued())) await new Promise((resolve) => setTimeout(resolve, 10))
  const restarted = world.restartService()
  const { status, body } = await waiting
  assert.deepEqual([status, body.status], [200, 'queued'])
  await restarted
  assert.equal((await deliveryOf(body.message_id)).status, 'sent')
})
