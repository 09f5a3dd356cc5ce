import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { must } from '../harness/http.ts'
import { startReceiver } from '../harness/receiver.ts'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const world = await startWorld({ own: true })
const instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
after(() => world.stop())

const texts = () => world.receiver.events('received').map(({ text }) => (text as { message: string }).message)
const arrived = (message: string) =>
  world.receiver.waitFor(message, ({ text }) => (text as { message?: string } | undefined)?.message === message)

test('events of one instance come in the order of the facts', async () => {
  await world.sandbox.burst(ANA, ME, 30, 'n')
  await arrived('n30')
  assert.deepEqual(
    texts(),
    Array.from({ length: 30 }, (_, index) => `n${index + 1}`),
  )
  const ids = world.receiver.received.map(({ event }) => event.event_id)
  assert.deepEqual(ids, [...ids].sort(), 'event ids ascend')
})

test('the headers say what the body says', () => {
  const [{ event, headers } = assert.fail('nothing came')] = world.receiver.received
  assert.equal(headers['x-svc-event'], event.type)
  assert.equal(headers['x-svc-event-id'], event.event_id)
  assert.equal(headers['x-svc-instance-id'], instance.id)
  assert.equal(headers['x-svc-attempt'], '1')
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers['user-agent'], 'Svc-Webhook/1.0')
})

test('a receiver that fails gets the same event again, later ones are not held up, and a restart forgets nothing', async () => {
  let refusals = 0
  world.receiver.reply(({ event }, response) => {
    const isFirst = (event.text as { message?: string } | undefined)?.message === 'fails first'
    if (isFirst) refusals++
    response.writeHead(isFirst && refusals === 1 ? 500 : 200).end()
  })
  await world.sandbox.send(ANA, ME, { text: 'fails first' })
  const first = await arrived('fails first')
  await world.sandbox.send(ANA, ME, { text: 'not held up' })
  await arrived('not held up')
  await world.restartService()
  await world.receiver.waitFor('the second try', () => refusals === 2, 25_000)
  const tries = world.receiver.received.filter(({ event }) => event.event_id === first.event_id)
  assert.deepEqual(
    tries.map(({ headers }) => headers['x-svc-attempt']),
    ['1', '2'],
  )
  assert.deepEqual(tries[0]!.event, tries[1]!.event)
  world.receiver.reply(null)
})

test('each attempt goes to the address and with the secret of that moment', async () => {
  await world.gateway.waitForStatus(instance, 'connected')
  const second = await startReceiver()
  const { secret } = (await world.gateway.must(instance, 'POST', '/webhooks/secret')) as { secret: string }
  assert.match(secret, /^whsec_[0-9A-Za-z]{32}$/)
  second.trust(instance.id, secret)
  await world.gateway.must(instance, 'PUT', '/webhooks/received', { value: second.url })
  await world.sandbox.send(ANA, ME, { text: 'to the new one' })
  const event = await second.waitFor('the event', ({ type }) => type === 'received')
  assert.equal(event.single_url, undefined, 'the addresses differ now')
  assert.deepEqual(second.problems, [])
  await second.stop()
  world.receiver.trust(instance.id, secret)
  await world.gateway.must(instance, 'PUT', '/webhooks', { single_url: world.receiver.url })
})

test('with a grace time receivers that know the old secret, or the new one, take the same event', async () => {
  for (const rotate of [
    () => world.gateway.must(instance, 'POST', '/webhooks/secret', { grace_seconds: 600 }),
    () => must('POST', `${world.gateway.baseUrl}/account/webhooks/secret`, { grace_seconds: 600 }, world.gateway.account),
  ]) {
    const { secret } = (await rotate()) as { secret: string }
    await world.sandbox.send(ANA, ME, { text: `signed twice ${secret.slice(-4)}` })
    // The receiver refuses requests that are not signed with the secret that it knows. Here it still knows only the old
    // one.
    await arrived(`signed twice ${secret.slice(-4)}`)
    world.receiver.trust(instance.id, secret)
    await world.sandbox.send(ANA, ME, { text: `signed by both ${secret.slice(-4)}` })
    await arrived(`signed by both ${secret.slice(-4)}`)
    assert.equal(String(world.receiver.received.at(-1)!.headers['x-svc-signature']).split('v1=').length, 3)
  }
  const shown = JSON.stringify(await world.gateway.must(instance, 'GET', '/me'))
  assert.ok(!shown.toLowerCase().includes('previous'), 'nobody is shown the old one')
  const { secret } = (await world.gateway.must(instance, 'POST', '/webhooks/secret')) as { secret: string }
  world.receiver.trust(instance.id, secret)
  await world.sandbox.send(ANA, ME, { text: 'rotated at once' })
  await arrived('rotated at once')
  assert.equal(String(world.receiver.received.at(-1)!.headers['x-svc-signature']).split('v1=').length, 2)
})

test('a test delivery goes to the receiver, signed and marked, and answers what it said', async () => {
  world.receiver.reply((_, response) => void response.writeHead(418).end(`no tea ${'é'.repeat(3_000)}`))
  for (const type of ['received', 'delivery', 'message_status', 'instance_status', 'chat_presence']) {
    const said = await world.gateway.must(instance, 'POST', `/webhooks/${type}/test`)
    assert.deepEqual([said.delivered, said.response_code, said.error], [false, 418, 'status 418'])
    assert.equal([...String(said.response_body)].length, 1_000)
    assert.ok(String(said.response_body).startsWith('no tea é'))
    const { event, headers } = world.receiver.received.at(-1)!
    assert.deepEqual([event.type, event.event_id, event.test, headers['x-svc-event']], [type, said.event_id, true, type])
  }
  world.receiver.reply(null)
  const taken = await world.gateway.must(instance, 'POST', '/webhooks/received/test')
  assert.deepEqual([taken.delivered, taken.response_code, taken.error, taken.response_body], [true, 200, null, ''])
  const log = await must('GET', `${world.gateway.baseUrl}/admin/webhook-log?page_size=500`, undefined, world.gateway.admin)
  assert.ok(!JSON.stringify(log).includes(String(taken.event_id)), 'it is not in the log')
  assert.equal((await world.gateway.ask(instance, 'POST', '/webhooks/nothing/test')).status, 404)
  await world.gateway.must(instance, 'PUT', '/webhooks/chat_presence', { value: null })
  assert.equal((await world.gateway.ask(instance, 'POST', '/webhooks/chat_presence/test')).status, 403)
  await world.gateway.must(instance, 'PUT', '/webhooks', { single_url: world.receiver.url })
})

test('a change for the whole workspace reaches the instances that run: the next event goes there, with the new secret', async () => {
  const second = await startReceiver()
  const { baseUrl, account } = world.gateway
  const changed = await must('PUT', `${baseUrl}/account/webhooks`, { received_url: second.url }, account)
  assert.equal(changed.instances_updated, 1)
  const { secret } = await must<{ secret: string }>('POST', `${baseUrl}/account/webhooks/secret`, undefined, account)
  second.trust(instance.id, secret)
  await world.sandbox.send(ANA, ME, { text: 'to the new one of all' })
  await second.waitFor('the event', ({ type }) => type === 'received')
  assert.deepEqual(second.problems, [])
  await second.stop()
  world.receiver.trust(instance.id, secret)
  await must('PUT', `${baseUrl}/account/webhooks`, { single_url: world.receiver.url }, account)
})

test('a type without an address, a silenced type and a filter each keep their events back', async () => {
  const before = world.receiver.events('received').length
  /** Sends a text whose event the webhook settings suppress. Waits until the service has acknowledged the text. */
  async function saidUnheard(text: string) {
    await world.sandbox.send(ANA, ME, { text })
    while ((await world.sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  for (const change of [
    { ignore_text: true },
    { ignore_text: false, ignore_private: true },
    { ignore_private: false, ignore_received_callback: true },
  ]) {
    await world.gateway.must(instance, 'PUT', '/webhooks', change)
    await saidUnheard('not reported')
  }
  await world.gateway.must(instance, 'PUT', '/webhooks', { ignore_received_callback: false })
  await world.gateway.must(instance, 'PUT', '/webhooks/received', { value: null })
  await saidUnheard('nor this')
  await world.gateway.must(instance, 'PUT', '/webhooks/received', { value: world.receiver.url })
  // Events are in order. So if this event is the next one, there was none before it.
  await world.sandbox.send(ANA, ME, { text: 'reported' })
  await arrived('reported')
  assert.deepEqual(texts().slice(before), ['reported'])
})

test('addresses that are not allowed are refused with a reason', async () => {
  for (const value of [
    'http://93.184.215.14/hook',
    'https://10.0.0.1/hook',
    'ftp://example.com',
    'https://user:pass@example.com',
    'https://example.com/#x',
    'nonsense',
    `https://example.com/${'x'.repeat(2_048)}`,
  ]) {
    const answer = await world.gateway.ask(instance, 'PUT', '/webhooks/received', { value })
    assert.equal(answer.status, 400, value.slice(0, 40))
    assert.equal((answer.body.error as { code: string }).code, 'invalid_request')
  }
  assert.equal((await world.gateway.ask(instance, 'PUT', '/webhooks', { ignore_groups: true, ignore_private: true })).status, 400)
  assert.equal((await world.gateway.ask(instance, 'PUT', '/webhooks/nothing', { value: null })).status, 404)
})
