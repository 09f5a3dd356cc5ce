/**
 * Tests the aliases of routes. A request to an alias, with the alias's own field names, must have the same effect as a
 * request to the canonical route. The answer must be the same, too, unless the alias has a format of its own
 * (`answer`).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { type Alias, aliases } from '../../src/features/aliases.ts'
import { type Endpoint, INSTANCE_BASE } from '../../src/features/endpoint.ts'
import { endpoints } from '../../src/features/index.ts'
import { requestRoutes } from '../../src/features/requests.ts'
import { ROOT } from '../harness/checkout.ts'
import { openService } from './http/service.ts'

type Fields = Record<string, unknown>

const service = await openService({ instanceSlots: 10_000 })
after(() => service.close())

const promised = JSON.parse(readFileSync(new URL('docs/contract-operations.json', ROOT), 'utf8')) as Record<string, string[]>
const ids = new Set(Object.entries(promised).flatMap(([area, names]) => names.map((name) => `${area}.${name}`)))
const endpointOf = (id: string) => endpoints.find((endpoint) => endpoint.id === id)

test('aliases stand for operations of the contract, each route once', () => {
  for (const { operation } of aliases) assert.ok(ids.has(operation), operation)
  assert.equal(new Set(aliases.map(({ route }) => route)).size, aliases.length)
  const own = new Set(endpoints.map(({ method, path }) => `${method} ${path.replace(INSTANCE_BASE, '')}`))
  for (const { route } of aliases) assert.ok(!own.has(route), `${route} is the route of an operation`)
})

test('an alias is mounted as soon as its operation is declared', (t) => {
  const mounted = requestRoutes.filter(({ alias }) => alias !== undefined)
  t.diagnostic(`${mounted.length} of ${aliases.length} aliases`)
  assert.equal(mounted.length, aliases.filter(({ operation }) => endpointOf(operation)).length)
})

/**
 * Sends a request to a new instance, and returns what it caused. The clock first advances by a second, so that no rate
 * limit is reached.
 */
async function outcome(route: string, fields: Fields, { body: takesBody = false } = {}) {
  service.time.now += 1_000
  const { id, base } = await service.newInstance()
  const [method = '', pattern = ''] = route.split(' ')
  const rest = { ...fields }
  let path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  const hasBody = takesBody || method === 'POST' || method === 'PUT'
  if (!hasBody)
    path += `?${new URLSearchParams(Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]))}`
  service.double.calls.length = 0
  const { status, body } = await service.ask(method, base + path, hasBody ? rest : undefined)
  const { name, settings, webhooks } = service.directory.render(id, '')
  const { secret: _, ...urls } = webhooks
  const [call] = service.double.calls
  return { status, body, call: call && { operation: call.operation, input: call.input }, name, settings, urls }
}

const canonical = ({ method, path }: Endpoint) => `${method} ${path.replace(INSTANCE_BASE, '')}`

function answers(endpoint: Endpoint) {
  service.double.answer = () =>
    endpoint.kind === 'send'
      ? { message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' }
      : endpoint.examples[0]?.reply
}

function twoWays({ rename = {}, values = {}, fixed = {}, choose }: Alias, example: Fields): { asked: Fields; written: Fields } {
  const asked: Fields = { ...example, ...fixed }
  const written: Fields = {}
  const theirs = new Map(Object.entries(rename).map(([alias, field]) => [field, alias]))
  for (const [field, value] of Object.entries(asked)) {
    if (field in fixed) continue
    const name = theirs.get(field) ?? field
    const table = values[name]
    const [word, meant] = table ? Object.entries(table)[0]! : [value, value]
    asked[field] = meant
    written[name] = word
  }
  return { asked: { ...asked, ...choose?.(written).fixed }, written }
}

/** Aliases that stand for several operations. The field values of a request select the operation. */
const CHOICES: Readonly<Record<string, readonly Fields[]>> = {
  'POST /modify-chat': ['archive', 'unarchive', 'pin', 'unpin', 'mute', 'unmute', 'read', 'unread', 'clear', 'delete'].map(
    (action) => ({ action }),
  ),
  'POST /contacts/modify-blocked': [{ action: 'block' }, { action: 'unblock' }],
}

for (const alias of aliases) {
  const endpoint = endpointOf(alias.operation)
  if (!endpoint || alias.route === 'PUT /update-webhook-received-delivery') continue
  test(`${alias.route} is ${alias.operation}`, async () => {
    // An alias whose answer is `done` sets one field only, so it is tested with a value for this field in place of the
    // examples.
    const examples = endpoint.examples.map(({ input = {} }) => input)
    const fitting = Object.values(alias.rename ?? {})
    const single = alias.answer === 'done' ? [{ [fitting[0]!]: settingOf(fitting[0]!) }] : examples
    const inputs = alias.route === 'PUT /update-every-webhooks' ? [{ single_url: 'https://example.com/hook' }] : single
    const usable = alias.route === 'PUT /update-notify-sent-by-me' ? [{ notify_sent_by_me: true }] : inputs
    assert.ok(usable.length > 0)
    const words = CHOICES[alias.route] ?? [{}]
    for (const [example, word] of usable.flatMap((each) => words.map((one) => [each, one] as const))) {
      const { asked, written } = twoWays(alias, { ...example, ...word })
      const chosen = endpointOf(alias.choose?.(written).operation ?? alias.operation)!
      answers(chosen)
      const there = await outcome(canonical(chosen), asked)
      const here = await outcome(alias.route, written, { body: alias.body ?? false })
      assert.equal(there.status < 300, true, JSON.stringify(there.body))
      const expected =
        alias.answer === 'done' ? { value: true } : alias.answer === 'count' ? { count: there.body.total } : there.body
      assert.deepEqual({ ...here, body: withoutSecret(here.body) }, { ...there, body: withoutSecret(expected) })
    }
  })
}

/** Removes the secret from an answer, because it is different for each instance. */
function withoutSecret(body: Fields | undefined): Fields | undefined {
  if (!body || !('secret' in body)) return body
  const { secret: _, ...rest } = body
  return rest
}

const settingOf = (field: string) => (field === 'call_reject_message' ? 'Please write.' : true)

/**
 * Values that only an alias accepts: the route of the alias, the value in the request, and the value that the operation
 * receives.
 */
const VALUES: readonly [string, Fields, Fields][] = [
  ['POST /privacy/online', { visualization_type: 'same_last_seen' }, { value: 'match_last_seen' }],
  ['POST /privacy/online', { visualization_type: 'Same_Last_Seen' }, { value: 'match_last_seen' }],
  ['POST /privacy/online', { visualization_type: 'ALL' }, { value: 'all' }],
  ['POST /privacy/read-receipts', { value: 'DISABLE' }, { value: false }],
  ['POST /privacy/messages-duration', { value: 'Days7' }, { value: 604_800 }],
  ['GET /privacy/disallowed-contacts', { type: 'photo' }, { type: 'profile_photo' }],
  ['GET /privacy/disallowed-contacts', { type: 'description' }, { type: 'about' }],
  ['GET /privacy/disallowed-contacts', { type: 'Group_Add' }, { type: 'groups_add' }],
]

test('values that only an alias has are taken, in any case', async () => {
  for (const [route, written, meant] of VALUES) {
    const operation = aliases.find((alias) => alias.route === route)?.operation ?? 'privacy.disallowedContacts'
    answers(endpointOf(operation)!)
    const { status, body, call } = await outcome(route, written)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(call, { operation, input: meant })
  }
  answers(endpointOf('chats.archive')!)
  const archived = (action: string) => outcome('POST /modify-chat', { phone: '5511988887777', action })
  assert.deepEqual((await archived('UnArchive')).call, (await archived('unarchive')).call)
  const wrong = await outcome('POST /privacy/online', { visualization_type: 'nobody' })
  assert.deepEqual(wrong.body.error.details.issues, [
    { path: 'visualization_type', message: 'must be one of all, same_last_seen, match_last_seen' },
  ])
})

test('countries of a search are taken from its filters', async () => {
  answers(endpointOf('newsletters.search')!)
  const canonically = await outcome('POST /newsletters/search', { view: 'trending', country_codes: ['BR'] })
  const { call } = await outcome('POST /search-newsletter', { view: 'trending', filters: { country_codes: ['BR'] } })
  assert.deepEqual(call, canonically.call)
})

test('a URL for received and delivery also reports what the account sends; none leaves that as it is', async () => {
  const set = await outcome('PUT /update-webhook-received-delivery', { value: 'https://example.com/hook' })
  assert.equal(set.urls.received_url, 'https://example.com/hook')
  assert.equal(set.urls.notify_sent_by_me, true)
  for (const value of [null, '']) {
    const cleared = await outcome('PUT /update-webhook-received-delivery', { value })
    assert.equal(cleared.urls.received_url, null)
    assert.equal(cleared.urls.notify_sent_by_me, false)
  }
})

test('what is wrong is told under the name that the caller used', async () => {
  const wrong = await outcome('PUT /update-auto-read-message', { value: 'yes' })
  assert.equal(wrong.status, 400)
  assert.deepEqual(wrong.body.error.details.issues, [{ path: 'value', message: 'must be true or false' }])
  const missing = await outcome('PUT /update-notify-sent-by-me', {})
  assert.deepEqual(missing.body.error.details.issues, [{ path: 'notify_sent_by_me', message: 'is required' }])
  const filtered = async (filters: unknown) =>
    (await outcome('POST /search-newsletter', { filters })).body.error.details.issues as Fields[]
  assert.deepEqual(
    (await filtered({ country_codes: ['Brazil'] })).map(({ path }) => path),
    ['filters.country_codes.0'],
  )
  assert.deepEqual(await filtered('BR'), [{ path: 'filters', message: 'must be an object' }])
  assert.deepEqual(await filtered(null), [{ path: 'filters', message: 'must not be null' }])
  // Only the operation itself can find this error. Nevertheless the error must name the field of the alias.
  const value = 'https://10.0.0.1/hook'
  for (const route of ['PUT /update-every-webhooks', 'PUT /update-webhook-received-delivery', 'PUT /update-webhook-delivery']) {
    const refused = await outcome(route, { value })
    assert.deepEqual(refused.body.error.details.issues, [
      { path: 'value', message: 'must not point to a private, loopback or reserved address' },
    ])
  }
})

test('the URL of one type is told its problem under its own name', async () => {
  const issuesOf = async (value: unknown) => (await outcome('PUT /webhooks/delivery', { value })).body.error.details.issues
  assert.deepEqual(await issuesOf('https://user@example.com'), [
    { path: 'value', message: 'must not contain a user name or password' },
  ])
  assert.deepEqual(await issuesOf(17), [{ path: 'value', message: 'must be a string' }])
  assert.deepEqual(await issuesOf(undefined), [{ path: 'value', message: 'is required' }])
  assert.deepEqual(await issuesOf(`https://example.com/${'x'.repeat(2_048)}`), [
    { path: 'value', message: 'must have at most 2048 characters' },
  ])
})

test('a large body under an alias means the same', async () => {
  answers(endpointOf('send.sendText')!)
  const fields = { phone: '5511988887777', message: 'x'.repeat(60_000), padding: 'y'.repeat(300_000) }
  const [there, here] = [await outcome('POST /send-text', fields), await outcome('POST /reply-message', fields)]
  assert.equal(here.status, 200)
  assert.deepEqual(here, there)
})
