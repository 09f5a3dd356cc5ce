import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { openService } from './http/service.ts'

const service = await openService({ instanceSlots: 600 })
beforeEach(() => {
  service.time.now += 60_000
})
after(() => service.close())

async function as(scope: string) {
  const { value } = await service.newKey([scope])
  return (method: string, path: string, body?: unknown) =>
    service.ask(method, `/account/${path}`, body, { Authorization: `Bearer ${value}` })
}

test('the plan says what can still be created, and names the 500 newest instances with their tokens', async () => {
  const plan = async () => (await (await as('instances:read'))('GET', 'plan')).body
  const { instances, ...empty } = await plan()
  assert.deepEqual(instances, [])
  assert.deepEqual(empty, {
    subscription_status: 'active',
    trial_ends_at: null,
    due_at: '2036-01-31T12:00:00.000Z',
    instance_slots: 600,
    instances_used: 0,
    instances_available: 600,
  })
  const made = []
  for (let at = 0; at < 3; at++) made.push(await service.newInstance(`number ${at}`))
  const three = await plan()
  assert.deepEqual(
    three.instances,
    made.map(({ id, token }, at) => ({ id, name: `number ${at}`, token, status: 'qr' })).reverse(),
  )
  assert.deepEqual([three.instances_used, three.instances_available], [3, 597])
  await service.admin('PUT', '/admin/subscription', { instance_slots: 2, status: 'partner' })
  const cut = await plan()
  assert.deepEqual(
    [cut.subscription_status, cut.instance_slots, cut.instances_used, cut.instances_available],
    ['partner', 2, 3, 0],
  )
  await service.admin('PUT', '/admin/subscription', { instance_slots: 600, status: 'active' })
  for (let at = 3; at < 502; at++) await service.newInstance(`number ${at}`)
  const many = await plan()
  assert.deepEqual([many.instances.length, many.instances_used, many.instances[0].name], [500, 502, 'number 501'])
})

test('webhooks of the workspace reach every instance of it: URLs, filters and the secret', async () => {
  const [read, write] = [await as('webhooks:read'), await as('webhooks:write')]
  const before = (await read('GET', 'webhooks')).body
  assert.match(before.secret, /^whsec_[0-9A-Za-z]{32}$/)
  const one = await service.newInstance()
  const ofInstance = async () => (await service.ask('GET', `${one.base}/me`)).body.webhooks
  const changed = await write('PUT', 'webhooks', { single_url: 'https://example.com/all', ignore_groups: true })
  const { instances_updated, ...webhooks } = changed.body
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal(instances_updated, service.directory.list(service.workspace, { page: 1, page_size: 1 }).total)
  assert.deepEqual([webhooks.received_url, webhooks.chat_presence_url], ['https://example.com/all', 'https://example.com/all'])
  assert.deepEqual(await ofInstance(), webhooks)
  assert.deepEqual((await read('GET', 'webhooks')).body, webhooks)
  const { status, body } = await write('POST', 'webhooks/secret')
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body), ['secret'])
  assert.notEqual(body.secret, before.secret)
  for (const seen of [await ofInstance(), (await read('GET', 'webhooks')).body])
    assert.deepEqual(seen, { ...webhooks, secret: body.secret })
})

test('what is wrong with them is named, and nothing is written', async () => {
  const [read, write] = [await as('webhooks:read'), await as('webhooks:write')]
  const before = (await read('GET', 'webhooks')).body
  const cases: [object, string][] = [
    [{}, ''],
    [{ received_url: 'ftp://example.com' }, 'received_url'],
    [{ received_url: 'https://127.0.0.1/x' }, 'received_url'],
    [{ single_url: 'https://example.com', delivery_url: null }, 'single_url'],
    [{ ignore_private: true }, 'ignore_private'],
    [{ secret: 'whsec_mine' }, ''],
  ]
  for (const [change, path] of cases) {
    const refused = await write('PUT', 'webhooks', change)
    assert.deepEqual([refused.status, refused.body.error?.details.issues[0].path], [400, path], JSON.stringify(change))
  }
  assert.deepEqual((await read('GET', 'webhooks')).body, before)
  assert.equal((await read('PUT', 'webhooks', { ignore_text: true })).body.error.details.required_scope, 'webhooks:write')
  assert.equal((await write('GET', 'webhooks')).body.error.details.required_scope, 'webhooks:read')
})
