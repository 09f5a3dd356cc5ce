import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { ADMIN_KEY, openService, type Service, type ServiceOptions } from '../http/service.ts'

const OWN = { 'X-Svc-Dashboard': '1', 'Sec-Fetch-Site': 'same-origin', Origin: 'http://gw.test', Host: 'gw.test' }

/**
 * Signs in. Returns a function `ask` that sends requests as a browser does after signing in, and what the sign-in
 * returned.
 */
async function browserOf(service: Service) {
  const signed = await service.ask(
    'POST',
    '/dashboard/session',
    { admin_key: service.credentials.adminKey },
    signInHeaders(service.credentials.adminKey),
  )
  assert.equal(signed.status, 201, JSON.stringify(signed.body))
  const header = signed.headers.get('Set-Cookie')!
  const cookie = header.split(';')[0]!
  const { proof, ...info } = signed.body
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.ask(method, `/dashboard/${path}`, body, { ...OWN, Cookie: cookie, 'X-Svc-Dashboard': proof, ...headers })
  return { ask, cookie, proof, header, info }
}

const lengthOf = (key: string) => String(JSON.stringify({ admin_key: key }).length)
const signInHeaders = (key: string) => ({ ...OWN, 'Content-Length': lengthOf(key) })
const signIn = (service: Service, key: string) =>
  service.ask('POST', '/dashboard/session', { admin_key: key }, signInHeaders(key))

async function withService(options: ServiceOptions, work: (service: Service) => Promise<void>) {
  const service = await openService({ dashboard: { mode: 'on' }, ...options })
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

describe('signing in', () => {
  let service: Service
  before(async () => {
    service = await openService({ dashboard: { mode: 'on' } })
  })
  after(() => service.close())

  test('the admin key becomes a cookie that no script reads and no other site sends', async () => {
    const { header, info, cookie, proof, ask } = await browserOf(service)
    assert.match(proof, /^[0-9a-f]{48}$/)
    assert.deepEqual((await ask('GET', 'session')).body, info, 'the proof is told once')
    assert.ok(!JSON.stringify(service.lines).includes(proof), 'the log has the proof')
    assert.match(header, /^svc_dashboard=[0-9a-f]{48}; Max-Age=43200; Path=\/dashboard; HttpOnly; SameSite=Strict$/)
    assert.equal(info.signed_in, true)
    assert.equal(info.workspace.id, service.workspace)
    assert.equal(info.address, '198.51.100.7')
    assert.equal(info.admin_key_from_environment, true)
    assert.ok(!JSON.stringify(service.lines).includes(cookie.split('=')[1]!), 'the log has the session')
    assert.ok(!JSON.stringify(service.lines).includes(ADMIN_KEY), 'the log has the key')
  })

  test('under the public base the cookie is for https alone', async () => {
    const { headers } = await service.ask(
      'POST',
      '/dashboard/session',
      { admin_key: ADMIN_KEY },
      {
        ...signInHeaders(ADMIN_KEY),
        Host: 'gw.example.com',
        Origin: 'https://gw.example.com',
      },
    )
    assert.match(headers.get('Set-Cookie')!, /; Secure/)
  })

  test('whoever is not signed in is told so, and gets nothing', async () => {
    const { status, body } = await service.ask('GET', '/dashboard/session', undefined, OWN)
    assert.equal(status, 200)
    assert.deepEqual(body, { signed_in: false })
    for (const cookie of ['', 'svc_dashboard=', `svc_dashboard=${'0'.repeat(48)}`, `svc_dashboard=${ADMIN_KEY}`]) {
      const refused = await service.ask('GET', '/dashboard/api/admin/workspace', undefined, { ...OWN, Cookie: cookie })
      assert.equal(refused.status, 401)
      assert.equal(refused.body.error.code, 'unauthorized')
    }
  })

  test('the cookie of the page does not open the API, and no credential of the API opens the page without a sign-in', async () => {
    const { cookie } = await browserOf(service)
    assert.equal((await service.ask('GET', '/admin/workspace', undefined, { ...OWN, Cookie: cookie })).status, 401)
    const { value } = await service.newKey(['instances:read'])
    for (const key of [ADMIN_KEY, value]) {
      const bearer = { Authorization: `Bearer ${key}` }
      assert.equal((await service.ask('GET', '/dashboard/api/instances', undefined, { ...OWN, ...bearer })).status, 401)
    }
  })

  test('a sign-in that is no sign-in is refused before it is read', async () => {
    const long = { ...OWN, 'Content-Length': '5000' }
    for (const [headers, body] of [
      [OWN, { admin_key: ADMIN_KEY }],
      [long, { admin_key: ADMIN_KEY, more: 'x'.repeat(4_900) }],
      [{ ...OWN, 'Content-Length': '5' }, '{"a":'],
      [{ ...OWN, 'Content-Length': '2' }, '{}'],
      [{ ...OWN, 'Content-Length': '4' }, 'null'],
    ] as const) {
      const refused = await service.ask('POST', '/dashboard/session', body, headers)
      assert.equal(refused.status, 400, JSON.stringify(refused.body))
      assert.equal(refused.body.error.code, 'invalid_request')
    }
  })
})

test('wrong keys are throttled like every wrong credential, and the right one is always answered', () =>
  withService({}, async (service) => {
    const wrong = `svc_admin_${'b'.repeat(48)}`
    for (let count = 0; count < 30; count++) assert.equal((await signIn(service, wrong)).status, 401)
    const refused = await signIn(service, wrong)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('Retry-After')) > 0)
    assert.equal((await signIn(service, ADMIN_KEY)).status, 201)
  }))

test('an address outside the operator’s list neither signs in nor goes on', () =>
  withService({ adminAllowedIps: ['198.51.100.0/24'] }, async (service) => {
    const { ask } = await browserOf(service)
    service.peer.address = '203.0.113.9'
    assert.equal((await signIn(service, ADMIN_KEY)).body.error.code, 'ip_not_allowed')
    assert.equal((await ask('GET', 'api/admin/workspace')).body.error.code, 'ip_not_allowed')
  }))

describe('the end of a session', () => {
  test('it ends when it was not used for half an hour, and goes on while it is', () =>
    withService({}, async (service) => {
      const { ask } = await browserOf(service)
      for (let count = 0; count < 4; count++) {
        service.time.now += 29 * MINUTE
        assert.equal((await ask('GET', 'api/admin/workspace')).status, 200)
      }
      service.time.now += 30 * MINUTE
      assert.equal((await ask('GET', 'api/admin/workspace')).status, 401)
    }))

  test('it ends twelve hours after the sign-in, however much it is used', () =>
    withService({}, async (service) => {
      const { ask } = await browserOf(service)
      for (let past = 0; past + 20 * MINUTE < 12 * HOUR; past += 20 * MINUTE) {
        service.time.now += 20 * MINUTE
        assert.equal((await ask('GET', 'api/sessions')).status, 200)
      }
      service.time.now += 20 * MINUTE
      assert.equal((await ask('GET', 'api/sessions')).status, 401)
    }))

  test('the list says when each would end without another use', () =>
    withService({}, async (service) => {
      const [mine] = [await browserOf(service), await browserOf(service)]
      service.time.now += 20 * MINUTE
      const { body } = await mine.ask('GET', 'api/sessions')
      const left = body.data.map(({ expires_at }: { expires_at: string }) => Date.parse(expires_at) - service.time.now)
      assert.deepEqual(left, [10 * MINUTE, 30 * MINUTE])
      for (let past = 20 * MINUTE; past < 12 * HOUR - 20 * MINUTE; past += 20 * MINUTE) {
        service.time.now += 20 * MINUTE
        await mine.ask('GET', 'api/sessions')
      }
      const { body: last } = await mine.ask('GET', 'api/sessions')
      assert.equal(Date.parse(last.data[0].expires_at) - service.time.now, 20 * MINUTE)
    }))

  test('signing out ends it for whoever has the cookie, and only it', () =>
    withService({}, async (service) => {
      const [mine, other] = [await browserOf(service), await browserOf(service)]
      const { headers } = await mine.ask('DELETE', 'session')
      assert.match(headers.get('Set-Cookie')!, /^svc_dashboard=; Max-Age=0; Path=\/dashboard; HttpOnly; SameSite=Strict$/)
      assert.equal((await mine.ask('GET', 'api/sessions')).status, 401)
      assert.equal((await other.ask('GET', 'api/sessions')).status, 200)
    }))

  test('signing out while the store cannot be written answers 503, and the browser still forgets the session', () =>
    withService({}, async (service) => {
      const { ask } = await browserOf(service)
      service.disk.isFull = true
      const { status, headers } = await ask('DELETE', 'session')
      assert.equal(status, 503)
      assert.match(headers.get('Set-Cookie')!, /^svc_dashboard=; Max-Age=0; /)
      assert.equal((await ask('GET', 'api/sessions')).status, 401)
    }))

  test('another one can be ended from the list', () =>
    withService({}, async (service) => {
      const [mine, other] = [await browserOf(service), await browserOf(service)]
      const { body } = await mine.ask('GET', 'api/sessions')
      assert.deepEqual(
        body.data.map(({ id, current, address }: Record<string, unknown>) => [id, current, address]),
        [
          [other.info.id, false, '198.51.100.7'],
          [mine.info.id, true, '198.51.100.7'],
        ],
      )
      assert.equal((await mine.ask('DELETE', `api/sessions/${other.info.id}`)).status, 200)
      assert.equal((await other.ask('GET', 'api/sessions')).status, 401)
      assert.equal((await mine.ask('DELETE', `api/sessions/${other.info.id}`)).status, 404)
    }))

  test('a new admin key ends all of them, also the one that asked for it', () =>
    withService({ hasOwnAdminKey: true }, async (service) => {
      const [mine, other] = [await browserOf(service), await browserOf(service)]
      const rotated = await mine.ask('POST', 'api/admin/admin-key', {})
      assert.equal(rotated.status, 201)
      for (const { ask } of [mine, other]) assert.equal((await ask('GET', 'api/sessions')).status, 401)
      assert.equal((await signIn(service, service.credentials.adminKey)).status, 401)
      assert.equal((await signIn(service, rotated.body.value)).status, 201)
    }))
})

/**
 * A browser also sends the cookie to other ports of the same host. So a server there can learn the cookie, and can send
 * it with any header.
 */
test('the cookie without its proof is nobody, does not count as use and ends nothing', () =>
  withService({}, async (service) => {
    const [mine, other] = [await browserOf(service), await browserOf(service)]
    for (const proof of ['1', '', other.proof, '0'.repeat(48)]) {
      const without = { 'X-Svc-Dashboard': proof }
      assert.deepEqual((await mine.ask('GET', 'session', undefined, without)).body, { signed_in: false })
      for (const [method, path, body] of [
        ['GET', 'api/admin/api-keys', undefined],
        ['POST', 'api/admin/api-keys', { name: 'of a stranger', scopes: ['instances:read'] }],
        ['GET', 'api/live', undefined],
      ] as const) {
        assert.equal((await mine.ask(method, path, body, without)).status, 401, `${method} ${path}`)
        const alone = await service.ask(method, `/dashboard/${path}`, body, { Host: 'gw.test', Cookie: mine.cookie })
        assert.equal(alone.status, 403, `${method} ${path}, without the header`)
      }
      const { headers } = await mine.ask('DELETE', 'session', undefined, without)
      assert.match(headers.get('Set-Cookie')!, /^svc_dashboard=; Max-Age=0;/)
    }
    assert.equal((await mine.ask('GET', 'api/admin/api-keys')).body.total, 0)
    service.time.now += 29 * MINUTE
    await mine.ask('GET', 'session', undefined, { 'X-Svc-Dashboard': '1' })
    service.time.now += MINUTE
    assert.equal((await mine.ask('GET', 'api/sessions')).status, 401)
  }))

describe('where a request with the cookie comes from', () => {
  const WRITE = ['POST', 'api/admin/api-keys', { name: 'made by another site', scopes: ['instances:read'] }] as const
  /**
   * Headers of requests that a script of the dashboard cannot have sent: each case shows another source, or lacks the
   * custom header of the dashboard.
   */
  const ELSEWHERE: Record<string, Record<string, string>> = {
    'a form of another site': { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    'a script of another site': { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example', 'X-Svc-Dashboard': '1' },
    'another port of the same host': { 'Sec-Fetch-Site': 'same-site', Origin: 'http://gw.test:3000', 'X-Svc-Dashboard': '1' },
    'another name of the same site': { 'Sec-Fetch-Site': 'same-site', Origin: 'http://other.gw.test', 'X-Svc-Dashboard': '1' },
    'a sandboxed frame': { 'Sec-Fetch-Site': 'cross-site', Origin: 'null', 'X-Svc-Dashboard': '1' },
    'an old browser, from another site': { Origin: 'https://evil.example', 'X-Svc-Dashboard': '1' },
    'an origin that is no address': { Origin: 'evil', 'X-Svc-Dashboard': '1' },
    'the address bar': { 'Sec-Fetch-Site': 'none', 'X-Svc-Dashboard': '1' },
    'a form of the same origin': { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://gw.test' },
    'a form of an old browser': {},
  }

  for (const [name, headers] of Object.entries(ELSEWHERE))
    test(`${name}: refused, and nothing is done`, () =>
      withService({}, async (service) => {
        const { cookie, ask } = await browserOf(service)
        const [method, path, body] = WRITE
        for (const [how, where, what] of [
          [method, path, body],
          ['GET', 'api/admin/api-keys', undefined],
          ['GET', 'session', undefined],
          ['DELETE', 'session', undefined],
        ] as const) {
          const refused = await service.ask(how, `/dashboard/${where}`, what, { Host: 'gw.test', Cookie: cookie, ...headers })
          assert.equal(refused.status, 403, `${how} ${where}`)
          assert.equal(refused.body.error.code, 'not_allowed')
        }
        assert.equal((await ask('GET', 'api/admin/api-keys')).body.total, 0)
      }))

  test('the page itself, under either of its names', () =>
    withService({}, async (service) => {
      const { ask, cookie, proof } = await browserOf(service)
      assert.equal((await ask(...WRITE)).status, 201)
      const proxied = { Host: '127.0.0.1:8080', Origin: 'https://gw.example.com' }
      assert.equal((await ask('GET', 'api/admin/api-keys', undefined, proxied)).status, 200)
      const { Origin: _, ...get } = OWN
      const own = { ...get, Cookie: cookie, 'X-Svc-Dashboard': proof }
      assert.equal((await service.ask('GET', '/dashboard/api/admin/api-keys', undefined, own)).status, 200)
    }))
})
