import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endpoints } from '../../src/features/index.ts'
import { unknownFields } from '../../src/features/unknown-fields.ts'
import { openService } from './http/service.ts'

const service = await openService()
const base = (await service.newInstance()).base
service.double.answer = () => ({ message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' })
after(() => service.close())

async function ignored(method: string, path: string, body?: unknown) {
  service.time.now += 1_000
  const { status, headers } = await service.ask(method, base + path, body)
  return { status, names: headers.get('X-Svc-Ignored-Fields') }
}

/**
 * Returns the issues of a refused request, each as `path message`. Returns the status if the request was not refused.
 */
async function issues(method: string, path: string, body?: unknown): Promise<string[] | number> {
  service.time.now += 1_000
  const { status, body: answer } = await service.ask(method, base + path, body)
  if (status !== 400) return status
  const { error } = answer as { error: { code: string; details: { issues: { path: string; message: string }[] } } }
  assert.equal(error.code, 'invalid_request')
  return error.details.issues.map(({ path, message }) => `${path} ${message}`)
}
const text = (more: object) => ignored('POST', '/send-text', { phone: '5511988887777', message: 'hello', ...more })

test('a field that the operation does not have is named, and the message is queued all the same', async () => {
  assert.deepEqual(await text({ priority: 5 }), { status: 200, names: 'priority' })
  assert.deepEqual(await text({ priority: 5, tags: ['x'] }), { status: 200, names: 'priority, tags' })
})

test('a known field in another spelling is refused, also beside the right one, and the issue names the right field', async () => {
  const send = (more: object) => issues('POST', '/send-text', { phone: '5511988887777', message: 'hello', ...more })
  assert.deepEqual(await send({ delayMessage: 5 }), ['delayMessage must be spelled delay_message'])
  assert.deepEqual(await send({ delay_message: 5, DELAY_MESSAGE: 5 }), ['DELAY_MESSAGE must be spelled delay_message'])
  assert.deepEqual(await send({ sendAt: '2026-01-31T12:00:00.000Z' }), ['sendAt must be spelled send_at'])
  assert.deepEqual(await send({ messageId: 'x', mentioned: [] }), [
    'messageId must be spelled reply_to_message_id',
    'mentioned must be spelled mentions',
  ])
  const contacts = [{ name: 'Sales', phones: ['5511900001111'], Phones: [] }]
  assert.deepEqual(await issues('POST', '/send-contacts', { phone: '5511988887777', contacts }), [
    'contacts.0.Phones must be spelled phones',
  ])
  assert.deepEqual(await issues('GET', '/queue?page=1&pageSize=5'), ['pageSize must be spelled page_size'])
  assert.deepEqual(await issues('POST', '/update-group-name', { groupName: 'x' }), ['groupName must be spelled group_name'])
})

test('a misspelt field is found behind thousands of unknown ones', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, index]))
  const body = { phone: '5511988887777', message: 'hello', ...many, delayTyping: 2 }
  assert.deepEqual(await issues('POST', '/send-text', body), ['delayTyping must be spelled delay_typing'])
})

test('there is no such header when every field exists', async () => {
  assert.deepEqual(await text({ delay_message: 5, mention_all: false }), { status: 200, names: null })
})

test('it is told of a request that is refused, too', async () => {
  assert.deepEqual(await ignored('POST', '/send-text', { phone: '5511988887777', mesage: 'hello' }), {
    status: 400,
    names: 'mesage',
  })
})

test('fields inside lists and objects have their path', async () => {
  const contacts = [
    { name: 'Sales', phones: ['5511900001111'] },
    { name: 'Finance', phones: ['5511900002222'], nick: 'x' },
  ]
  assert.deepEqual(await ignored('POST', '/send-contacts', { phone: '5511988887777', contacts }), {
    status: 200,
    names: 'contacts.1.nick',
  })
})

test('the token of an order has two names, and an issue tells the one that was sent', async () => {
  const read = (query: string) => issues('GET', `/business/orders/1?${query}`)
  assert.deepEqual(await read('order_token=x%20y'), ['order_token must be base64'])
  assert.deepEqual(await read('token=x%20y'), ['token must be base64'])
  assert.deepEqual(await read(''), ['order_token is required'])
})

test('fields of a query are told as those of a body', async () => {
  service.double.answer = () => ({ data: [], page: 1, page_size: 20, total: 0 })
  assert.deepEqual(await ignored('GET', '/queue?page=1&order=asc'), { status: 200, names: 'order' })
})

test('a large body, read by another thread, is judged alike', async () => {
  service.double.answer = () => ({ message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' })
  assert.deepEqual(await text({ note: 'x'.repeat(300_000) }), { status: 200, names: 'note' })
  assert.deepEqual(await text({ phone: 'nobody', note: 'x'.repeat(300_000) }), { status: 400, names: 'note' })
  const large = { phone: '5511988887777', message: 'hello', delayMessage: 'x'.repeat(300_000) }
  assert.deepEqual(await issues('POST', '/send-text', large), ['delayMessage must be spelled delay_message'])
})

test('names are bounded and fit for a header', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, index]))
  const { names } = await text(many)
  assert.deepEqual(names?.split(', ').slice(18), ['field18', 'field19', '...'])
  assert.equal((await text({ 'a\r\nSet-Cookie: x=1, ünïcode': 1 })).names, 'a??Set-Cookie??x?1???n?code')
  const long = await text(Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`${index}${'x'.repeat(1_000)}`, 1])))
  assert.ok(long.names!.length <= 1_030 && long.names!.endsWith(', ...'), long.names!)
  assert.ok(long.names!.split(', ').every((name) => name.length <= 64))
})

test("a field that only an alias has exists; the operation's own exist beside it", async () => {
  service.double.answer = () => ({})
  const alias = (method: string, path: string, body: object) => ignored(method, path, body)
  assert.deepEqual(await alias('PUT', '/update-auto-read-message', { value: true }), { status: 200, names: null })
  assert.equal(
    (await alias('POST', '/contacts/modify-blocked', { phone: '5511988887777', action: 'block', why: 1 })).names,
    'why',
  )
  assert.equal((await alias('PUT', '/update-webhook-received', { value: null, enabled: true })).names, 'enabled')
})

test('no example of a declaration has a field that does not exist', () => {
  for (const endpoint of endpoints)
    for (const { input, name } of endpoint.examples)
      if (input) assert.deepEqual(unknownFields(endpoint, input), { ignored: [], misspelt: [] }, `${endpoint.id}: ${name}`)
})

test('of a list that is refused for its length, nothing behind its bound is looked at: a body has room for 100,000 entries', () => {
  const add = endpoints.find(({ id }) => id === 'contacts.add')!
  const contacts = Array.from({ length: 51 }, (_, index) => ({
    phone: '5511988887777',
    first_name: 'Ana',
    ...(index >= 49 ? { age: 3 } : {}),
  }))
  let read = 0
  const watched = new Proxy(contacts, {
    get(target, name, receiver) {
      if (/^\d+$/.test(String(name))) read++
      return Reflect.get(target, name, receiver)
    },
  })
  assert.deepEqual(unknownFields(add, { contacts: watched }).ignored, ['contacts.49.age'])
  assert.equal(read, 50)
})
