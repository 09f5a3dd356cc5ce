/** Tests the checks of a request one by one. The first check that fails must determine the answer. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import type { Security, Subscription } from '../../src/domain/workspace.ts'
import { endpoints } from '../../src/features/index.ts'
import { ADMIN_KEY, openService } from './http/service.ts'

let base: string
let instance: { id: string; token: string; base: string }

const put = async (path: string, body: unknown) => {
  const answer = await service.admin('PUT', `/admin/${path}`, body)
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`)
}
async function secure({ requireApiKey = false, requireClientToken = false, allowlist }: Partial<Security>) {
  // The service refuses to turn a requirement on while no key has `instances:operate`, so the test first creates a key.
  if (requireApiKey || requireClientToken) await service.newKey(['instances:operate'])
  await put('security/require-api-key', { value: requireApiKey })
  await put('security/require-client-token', { value: requireClientToken })
  await put('security/ip-allowlist', allowlist ?? { enabled: false })
}
const subscribe = ({ status, dueAt, trialEndsAt }: Partial<Subscription>) =>
  put('subscription', {
    status,
    ...(dueAt === undefined ? {} : { due_at: new Date(dueAt).toISOString() }),
    ...(trialEndsAt == null ? {} : { trial_ends_at: new Date(trialEndsAt).toISOString() }),
  })

const status = (headers: Record<string, string> = {}, path = `${base}/me`) => service.ask('GET', path, undefined, headers)
const bearer = (value: string) => ({ Authorization: `Bearer ${value}` })
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code]

/**
 * Number in the client address of the current test. Each test uses a new address, because failed requests are counted
 * per address.
 */
let address = 0
const service = await openService({
  instanceSlots: 10_000,
  trustedProxies: ['10.0.0.0/8'],
  adminAllowedIps: ['198.51.0.0/16', '2001:db8::/32'],
})
beforeEach(async () => {
  service.time.now += 60_000
  service.peer.address = `198.51.100.${++address}`
  instance = await service.newInstance()
  base = instance.base
  service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
  await secure({})
  await subscribe({ status: 'active', dueAt: Date.parse('2036-01-01T00:00:00Z') })
})
after(() => service.close())

describe('instance routes', () => {
  test('row 1: an unknown path and an unknown method are not found, whatever the credentials', async () => {
    for (const [method, path] of [
      ['GET', `${base}/nothing`],
      ['DELETE', `${base}/me`],
      ['GET', '/nowhere'],
      ['GET', `/instances/x/token/y/z`],
      ['GET', `${base}/me/`],
      ['GET', `/instances/${instance.id}/token//nothing`],
    ] as const)
      assert.deepEqual(codeOf(await service.ask(method, path)), [404, 'not_found'], `${method} ${path}`)
  })

  test('row 1: HEAD is a method of no route that does something, and asks nobody', async () => {
    const asked = service.double.calls.length
    const head = (path: string) => service.app.request(`http://gw.test${path}`, { method: 'HEAD' })
    for (const path of [`${base}/qr-code`, `${base}/me`, '/account/instances', '/admin/api-keys', '/media/c2VhbGVkLWxpbms'])
      assert.equal((await head(path)).status, 404, path)
    assert.equal(service.double.calls.length, asked)
    assert.equal((await head('/health/live')).status, 200, 'a balancer may')
  })

  test('row 2: missing credentials are unauthorized, before anybody looks for an instance', async () => {
    for (const path of [
      `/instances/undefined/token/${instance.token}/me`,
      `/instances/${instance.id}/token/null/me`,
      `/instances//token/${instance.token}/me`,
      `/instances/${instance.id}/token//me`,
      `/instances/${instance.id}/token//phone-code/5511999990000`,
    ])
      assert.deepEqual(codeOf(await status({}, path)), [401, 'unauthorized'], path)
  })

  test('row 4: after 30 answers with 401 in a minute an address is told to wait with more of them until the minute ends', async () => {
    const wrong = `/instances/${instance.id}/token/${'0'.repeat(48)}/me`
    for (let attempt = 1; attempt <= 30; attempt++) assert.deepEqual(codeOf(await status({}, wrong)), [401, 'instance_not_found'])
    service.time.now += 20_000
    const blocked = await status({}, wrong)
    assert.deepEqual(codeOf(blocked), [429, 'rate_limited'])
    assert.equal(blocked.headers.get('Retry-After'), '40')
    assert.equal(blocked.headers.get('X-RateLimit-Remaining'), null)
    assert.deepEqual(codeOf(await status({}, `/instances/x/token/null/me`)), [401, 'unauthorized'], 'row 2 comes first')
    service.peer.address = '198.51.100.250'
    assert.deepEqual(codeOf(await status({}, wrong)), [401, 'instance_not_found'], 'another address is not concerned')
    service.peer.address = `198.51.100.${address}`
    service.time.now += 40_000
    assert.deepEqual(codeOf(await status({}, wrong)), [401, 'instance_not_found'])
  })

  test('row 4: a valid credential is answered whatever was guessed from its address: behind a proxy everybody has the same', async () => {
    const { value } = await service.newKey(['instances:operate', 'instances:read'])
    await secure({ requireApiKey: true })
    const guesses: [string, Record<string, string>][] = [
      [`/instances/${instance.id}/token/${'0'.repeat(48)}/me`, {}],
      [`${base}/me`, bearer(`svc_key_${'0'.repeat(48)}`)],
      ['/account/instances', bearer(`svc_key_${'0'.repeat(48)}`)],
      ['/admin/api-keys', bearer(`svc_admin_${'0'.repeat(48)}`)],
    ]
    for (let round = 0; round < 30; round++) for (const [path, headers] of guesses) await status(headers, path)
    for (const [path, headers] of guesses) assert.deepEqual(codeOf(await status(headers, path)), [429, 'rate_limited'], path)
    assert.equal((await status(bearer(value))).status, 200)
    assert.equal((await status({ 'Client-Token': value })).status, 200)
    assert.equal((await status(bearer(value), '/account/instances')).status, 200)
    assert.equal((await status(bearer(ADMIN_KEY), '/admin/api-keys')).status, 200)
  })

  test('an unknown path under an instance carries its rate headers, and under nobody none', async () => {
    const known = await status({}, `${base}/nothing`)
    assert.deepEqual(
      [known.status, known.headers.get('X-RateLimit-Limit'), known.headers.get('X-RateLimit-Remaining')],
      [404, '60', '120'],
    )
    const unknown = await status({}, `/instances/${instance.id}/token/${'0'.repeat(48)}/nothing`)
    assert.deepEqual([unknown.status, unknown.headers.get('X-RateLimit-Limit')], [404, null])
  })

  test('row 3: a wrong pair tells nothing: neither that the instance exists, nor its rate headers, nor its allowlist', async () => {
    await secure({ allowlist: { enabled: true, entries: [{ cidr: '203.0.113.0/24', note: null }] } })
    const other = await service.newInstance()
    for (const path of [
      `/instances/${instance.id}/token/${other.token}/me`,
      `/instances/5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90/token/${instance.token}/me`,
    ]) {
      const answer = await status({}, path)
      assert.deepEqual(codeOf(answer), [401, 'instance_not_found'])
      assert.equal(answer.headers.get('X-RateLimit-Limit'), null)
    }
  })

  test('row 5: an address outside the allowlist is refused before its keys are looked at', async () => {
    await secure({ requireClientToken: true, allowlist: { enabled: true, entries: [{ cidr: '203.0.113.0/24', note: null }] } })
    const refused = await status()
    assert.deepEqual(codeOf(refused), [403, 'ip_not_allowed'])
    assert.equal(refused.headers.get('X-RateLimit-Remaining'), '120', 'the instance is known, and nothing was taken')
    service.peer.address = '::ffff:203.0.113.9'
    assert.deepEqual(codeOf(await status()), [401, 'client_token_required'], 'a mapped IPv4 peer counts as IPv4')
  })

  test('row 6: with require_client_token only that header counts', async () => {
    const { value } = await service.newKey(['instances:operate'])
    await secure({ requireClientToken: true, requireApiKey: true })
    assert.deepEqual(codeOf(await status()), [401, 'client_token_required'])
    assert.deepEqual(codeOf(await status(bearer(value))), [401, 'client_token_required'])
    assert.equal((await status({ 'client-token': value })).status, 200)
    assert.equal((await status({ 'Client-Token': value, ...bearer('nonsense') })).status, 200, 'Authorization is not read')
  })

  test('row 7: with require_api_key Authorization decides when it is there, else Client-Token', async () => {
    const { value } = await service.newKey(['instances:operate'])
    await secure({ requireApiKey: true })
    assert.deepEqual(codeOf(await status()), [401, 'api_key_required'])
    assert.equal((await status(bearer(value))).status, 200)
    assert.equal((await status({ Authorization: `bEARER ${value}` })).status, 200)
    assert.equal((await status({ 'Client-Token': value })).status, 200)
    const wrong: Record<string, string>[] = [
      { ...bearer('svc_key_unknown'), 'Client-Token': value },
      { Authorization: value },
      { Authorization: `Bearer ${value}, Bearer ${value}` },
      bearer(ADMIN_KEY),
      { 'Client-Token': 'x'.repeat(257) },
    ]
    for (const headers of wrong)
      assert.deepEqual(codeOf(await status(headers)), [401, 'api_key_required'], JSON.stringify(headers))
  })

  test('row 7: a revoked key stops at once, and the others stay', async () => {
    const [gone, stays] = [await service.newKey(['instances:operate']), await service.newKey(['instances:operate'])]
    await secure({ requireApiKey: true })
    assert.equal((await status(bearer(gone.value))).status, 200)
    assert.equal((await service.admin('DELETE', `/admin/api-keys/${gone.id}`)).status, 200)
    assert.deepEqual(codeOf(await status(bearer(gone.value))), [401, 'api_key_required'])
    assert.equal((await status(bearer(stays.value))).status, 200)
  })

  test('row 8: a key without instances:operate is told which scope it lacks', async () => {
    const { value } = await service.newKey(['instances:read', 'instances:write'])
    await secure({ requireApiKey: true })
    const refused = await status(bearer(value))
    assert.deepEqual(codeOf(refused), [403, 'insufficient_scope'])
    assert.deepEqual(refused.body.error.details, { required_scope: 'instances:operate' })
  })

  test('with both requirements off the headers are ignored', async () => {
    assert.equal((await status({ ...bearer('nonsense'), 'Client-Token': '' })).status, 200)
  })

  test('row 9: 120 at once, then 60 per second, whatever the requests come to', async () => {
    for (let sent = 1; sent <= 120; sent++) {
      const answer = await service.ask('POST', `${base}/send-text`, {})
      assert.deepEqual(codeOf(answer), [400, 'invalid_request'])
      assert.equal(answer.headers.get('X-RateLimit-Limit'), '60')
      assert.equal(answer.headers.get('X-RateLimit-Remaining'), String(120 - sent))
    }
    const refused = await status()
    assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
    assert.equal(refused.headers.get('Retry-After'), '1')
    assert.equal(refused.headers.get('X-RateLimit-Remaining'), '0')
    const other = await service.newInstance()
    assert.equal((await status({}, `${other.base}/me`)).status, 200, 'every instance has its own')
    service.time.now += 1_000
    for (let sent = 1; sent <= 60; sent++) assert.equal((await status()).status, 200)
    assert.equal((await status()).status, 429)
  })

  test('row 10: an account that may not send is told so before its body is read', async () => {
    await subscribe({ status: 'expired' })
    const answer = await service.ask('POST', `${base}/send-text`, 'not json', { 'Content-Type': 'text/plain' })
    assert.deepEqual(codeOf(answer), [402, 'subscription_required'])
    const read = await service.ask('POST', `${base}/read-message`, {})
    assert.deepEqual(codeOf(read), [400, 'invalid_request'], 'marking as read is not gated')
    assert.equal((await status()).status, 200, 'nor are reads and settings')
  })

  test('row 10: the plan decides by status and date', async () => {
    const now = service.time.now
    const send = () => service.ask('POST', `${base}/send-text`, { phone: '5511988887777', message: 'Hello' })
    const cases: [Partial<Subscription>, number][] = [
      [{ status: 'trial', trialEndsAt: now + 60_000 }, 200],
      [{ status: 'trial', trialEndsAt: now - 1 }, 402],
      [{ status: 'active' }, 200],
      [{ status: 'partner' }, 200],
      [{ status: 'past_due', dueAt: now - 1 }, 200],
      [{ status: 'canceled', dueAt: now + 60_000 }, 200],
      [{ status: 'canceled', dueAt: now - 1 }, 402],
      [{ status: 'expired' }, 402],
    ]
    for (const [change, expected] of cases) {
      await subscribe(change)
      assert.equal((await send()).status, expected, JSON.stringify(change))
    }
  })

  test('a send is acknowledged with the ids the queue fixed', async () => {
    service.double.answer = () => ({ message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' })
    const { body } = await service.ask('POST', `${base}/send-text`, { phone: '5511988887777@c.us', message: 'x' })
    assert.equal(body.error.code, 'invalid_phone')
    const answer = await service.ask('POST', `${base}/send-text`, {
      phone: '120363019502650977@g.us',
      message: 'Hi @55119 and @551198',
      mentions: ['551198'],
    })
    assert.deepEqual(answer.body, {
      id: '3EB0EE97803A91FF2C0ED1',
      message_id: '3EB0EE97803A91FF2C0ED1',
      svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE',
      status: 'queued',
    })
    const { instance: called, operation, input } = service.double.calls.at(-1)!
    assert.deepEqual([called, operation], [instance.id, 'send.sendText'])
    assert.deepEqual(input, {
      phone: { kind: 'group', id: '120363019502650977' },
      message: 'Hi @55119 and @551198',
      link_preview: true,
      private_answer: false,
      mentions: [{ kind: 'user', digits: '551198', space: 'phone' }],
      mention_all: false,
      delay_typing: 0,
    })
  })
})

describe('account routes', () => {
  const list = (headers: Record<string, string> = {}) => service.ask('GET', '/account/instances', undefined, headers)

  test('row 3: only an API key in Authorization opens them', async () => {
    const { value } = await service.newKey(['instances:read'])
    for (const headers of [{}, { 'Client-Token': value }, bearer(ADMIN_KEY), bearer('svc_key_x')])
      assert.deepEqual(codeOf(await list(headers as Record<string, string>)), [401, 'api_key_required'])
    assert.equal((await list(bearer(value))).status, 200)
  })

  test('rows 4 to 6: allowlist, then plan, then scope', async () => {
    const { value } = await service.newKey(['instances:write'])
    service.time.now += 1_000
    await secure({ allowlist: { enabled: true, entries: [{ cidr: '203.0.113.0/24', note: null }] } })
    await subscribe({ status: 'trial', trialEndsAt: service.time.now + 60_000 })
    assert.deepEqual(codeOf(await list(bearer(value))), [403, 'ip_not_allowed'])
    await secure({})
    assert.deepEqual(codeOf(await list(bearer(value))), [403, 'plan_required'])
    await subscribe({ status: 'active' })
    service.time.now += 1_000
    const refused = await list(bearer(value))
    assert.deepEqual(codeOf(refused), [403, 'insufficient_scope'])
    assert.deepEqual(refused.body.error.details, { required_scope: 'instances:read' })
    assert.equal(refused.headers.get('X-RateLimit-Remaining'), '120')
  })

  test('row 7: the bucket belongs to the workspace, however many keys it has', async () => {
    const keys = [await service.newKey(['instances:read']), await service.newKey(['instances:read'])]
    service.time.now += 10_000
    for (let sent = 0; sent < 120; sent++) assert.equal((await list(bearer(keys[sent % 2]!.value))).status, 200)
    assert.deepEqual(codeOf(await list(bearer(keys[0]!.value))), [429, 'rate_limited'])
    assert.deepEqual(
      codeOf(await service.admin('GET', '/admin/api-keys')),
      [429, 'rate_limited'],
      'admin routes take from the same one',
    )
    assert.equal((await status()).status, 200, 'instance routes do not')
  })

  test('row 8 and 9: validation comes before the resource', async () => {
    const { value } = await service.newKey(['instances:read'])
    const get = (id: string) => service.ask('GET', `/account/instances/${id}`, undefined, bearer(value))
    assert.deepEqual(codeOf(await get('nothing')), [400, 'invalid_request'])
    assert.deepEqual(codeOf(await get('5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90')), [404, 'not_found'])
    assert.equal((await get(instance.id.toUpperCase())).body.id, instance.id)
  })

  test('the use of a key is noted with its address, at most once a minute', async () => {
    const { id, value } = await service.newKey(['instances:read'])
    const find = async () =>
      (await service.admin('GET', '/admin/api-keys?page_size=500')).body.data.find((key: { id: string }) => key.id === id)
    assert.equal((await find()).last_used_at, null)
    const first = new Date(service.time.now).toISOString()
    await list(bearer(value))
    service.time.now += 59_000
    await list(bearer(value))
    assert.equal((await find()).last_used_at, first)
    assert.equal((await find()).last_used_ip, service.peer.address)
    service.time.now += 1_000
    await list(bearer(value))
    assert.equal((await find()).last_used_at, new Date(service.time.now).toISOString())
  })
})

describe('admin routes', () => {
  test('only the admin key opens them, from the addresses the operator allows', async () => {
    const { value } = await service.newKey(['instances:read'])
    const refused = await service.ask('GET', '/admin/api-keys', undefined, bearer(value))
    assert.deepEqual(codeOf(refused), [401, 'api_key_required'])
    assert.match(refused.body.error.message, /admin key \(svc_admin_…\)/, 'who has a valid API key is told which key is wanted')
    service.peer.address = '192.0.2.1'
    assert.deepEqual(codeOf(await service.admin('GET', '/admin/api-keys')), [403, 'ip_not_allowed'])
    service.peer.address = '2001:db8::7'
    assert.equal((await service.admin('GET', '/admin/api-keys')).status, 200)
  })

  test('the allowlist of the workspace does not concern them: a wrong one must stay repairable', async () => {
    await secure({ allowlist: { enabled: true, entries: [{ cidr: '203.0.113.0/24', note: null }] } })
    assert.equal((await service.admin('GET', '/admin/api-keys')).status, 200)
  })

  test('the last key that may operate cannot be revoked while the workspace requires one', async () => {
    const { body } = await service.admin('GET', '/admin/api-keys?page_size=500')
    for (const key of body.data) {
      if (key.scopes.includes('instances:operate')) await service.admin('DELETE', `/admin/api-keys/${key.id}`)
      service.time.now += 1_000
    }
    const [first, last] = [await service.newKey(['instances:operate']), await service.newKey(['instances:operate'])]
    await put('security/require-client-token', { value: true })
    const results = await Promise.all([first, last].map(({ id }) => service.admin('DELETE', `/admin/api-keys/${id}`)))
    assert.deepEqual(
      results.map(codeOf).sort(),
      [
        [200, undefined],
        [403, 'not_allowed'],
      ],
      'one of two at once',
    )
    await secure({})
    const left = results[0]!.status === 200 ? last : first
    assert.equal((await service.admin('DELETE', `/admin/api-keys/${left.id}`)).status, 200)
    assert.deepEqual(codeOf(await service.admin('DELETE', `/admin/api-keys/${left.id}`)), [404, 'not_found'])
  })

  test('two keys cannot have the same name', async () => {
    const wish = { name: 'Twin', scopes: ['instances:read'] }
    const results = await Promise.all([1, 2].map(() => service.admin('POST', '/admin/api-keys', wish)))
    assert.deepEqual(results.map(({ status }) => status).sort(), [201, 400])
    const refused = results.find(({ status }) => status === 400)!
    assert.equal(refused.body.error.details.issues[0].path, 'name')
  })
})

describe('what every request gets', () => {
  test('a request id is echoed when it is well formed, and made otherwise', async () => {
    assert.equal((await status({ 'X-Request-Id': 'my-id_7' })).headers.get('X-Request-Id'), 'my-id_7')
    for (const bad of ['has space', 'x'.repeat(65)])
      assert.match((await status({ 'X-Request-Id': bad })).headers.get('X-Request-Id')!, /^[0-9A-Z]{26}$/)
    assert.ok((await service.ask('GET', '/nothing')).headers.get('X-Request-Id'))
  })

  test('the log has one line per request and never a token', async () => {
    service.lines.length = 0
    await status()
    await service.ask('GET', `${base}/nothing`)
    const { id, token } = instance
    assert.deepEqual(
      service.lines.map(({ fields: { method, path, route, status } }) => ({ method, path, route, status })),
      [
        {
          method: 'GET',
          path: `/instances/${id}/token/{token}/me`,
          route: '/instances/{instance_id}/token/{token}/me',
          status: 200,
        },
        { method: 'GET', path: `/instances/${id}/token/{token}/nothing`, route: null, status: 404 },
      ],
    )
    assert.ok(!JSON.stringify(service.lines).includes(token))
  })

  test('a token in a path that somebody mistyped does not reach the log either', async () => {
    service.lines.length = 0
    const { id, token } = instance
    const escaped = [...token].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('')
    for (const path of [
      `/instance/${id}/token${token}/send-text`,
      `/instances/${id}/tokens/${token}/send-text`,
      `/instances/${id}/${token}`,
      `/${token.toUpperCase()}`,
      `/instances/${id}/tokens/${escaped}/me`,
      `/svc_key_${token}`,
      `/instances/${id}/${token.slice(0, 20)}/me`,
      `/instances/${id}/token/${token.slice(0, 24)}/${token.slice(24)}/me`,
      `/${token.slice(-7)}/send-text`,
      '/decade',
      `/instances/${id}/token/${token}/send-txt`,
    ])
      assert.equal((await service.ask('GET', path)).status, 404, path)
    assert.deepEqual(
      service.lines.map(({ fields }) => fields.path),
      [
        `/instance/${id}/{…}/send-text`,
        `/instances/${id}/tokens/{…}/send-text`,
        `/instances/${id}/{…}`,
        '/{…}',
        `/instances/${id}/tokens/{…}/me`,
        '/{…}',
        `/instances/${id}/{…}/me`,
        `/instances/${id}/token/{token}/{…}/me`,
        '/{…}/send-text',
        '/{…}',
        `/instances/${id}/token/{token}/send-txt`,
      ],
    )
  })

  test('of a path that is a route the log has the template and the instance, nothing else a caller wrote', async () => {
    service.lines.length = 0
    await service.ask('GET', `${base}/phone-code/5511988887777`)
    assert.equal(service.lines[0]?.fields.path, `/instances/${instance.id}/token/{token}/phone-code/{phone}`)
  })

  test('behind a trusted proxy the caller is the right-most address no proxy of ours has', async () => {
    await secure({ allowlist: { enabled: true, entries: [{ cidr: '203.0.113.9', note: null }] } })
    const forwarded = (value: string) => status({ 'X-Forwarded-For': value })
    assert.equal((await forwarded('203.0.113.9')).status, 403, 'an untrusted peer is not believed')
    service.peer.address = '10.0.0.1'
    assert.equal((await forwarded('1.1.1.1, 203.0.113.9, 10.0.0.2')).status, 200)
    assert.equal((await forwarded('203.0.113.9, 1.1.1.1')).status, 403)
    assert.equal((await forwarded('203.0.113.9:4711')).status, 200)
    assert.equal((await status()).status, 403)
  })

  test('system routes are counted by no bucket and carry no rate headers', async () => {
    for (const { id, path } of endpoints.filter(({ access }) => access === 'public')) {
      const answer = await service.ask('GET', path)
      assert.equal(answer.status, id === 'media.download' ? 404 : 200, id)
      assert.equal(answer.headers.get('X-RateLimit-Limit'), null)
    }
  })
})
