import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, describe, test } from 'node:test'
import { hashOf } from '../../src/account/credentials.ts'
import { keyRecords, workspaceRecords } from '../../src/account/records.ts'
import { createConnectLinks } from '../../src/connect/connect-links.ts'
import type { InstanceId, WorkspaceId } from '../../src/domain/ids.ts'
import { type Endpoint, INSTANCE_BASE } from '../../src/features/endpoint.ts'
import { endpoints } from '../../src/features/index.ts'
import { dialectRoutes, requestRoutes } from '../../src/features/requests.ts'
import { MAX_QR_WAITS } from '../../src/http/connect/route.ts'
import { createMainRecords } from '../../src/storage/main-records/create-main-records.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { until } from '../harness/until.ts'
import { METRICS_TOKEN, openService, type Service } from './http/service.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const service = await openService({ instanceSlots: 10_000 })
const key = (await service.newKey(['instances:write', 'instances:read'])).value
after(() => service.close())

let instance: Awaited<ReturnType<Service['newInstance']>>
let subnet = 0
beforeEach(async () => {
  service.time.now += 2 * MINUTE
  service.peer.address = `198.51.${100 + subnet++}.7`
  service.double.answer = () => QR
  service.double.waiting = 0
  service.double.isUp = true
  instance = await service.newInstance()
})

const QR = { value: 'data:image/png;base64,AA', expires_at: '2026-01-31T12:00:20.000Z', connected: false }
const callsOf = (operation: string) => service.double.calls.filter((call) => call.operation === operation)

const as =
  (value: string) =>
  (method: string, path = '', body?: unknown) =>
    service.ask(method, `/account/connect-links${path}`, body, { Authorization: `Bearer ${value}` })
const ask: ReturnType<typeof as> = (...args) => as(key)(...args)
const make = (wish: object = {}, of = instance) => ask('POST', '', { instance_id: of.id, ...wish })

async function newLink(wish: object = {}, of = instance) {
  const { status, body } = await make(wish, of)
  assert.equal(status, 201, JSON.stringify(body))
  const path = new URL(body.url).pathname
  const page = async () => {
    const response = await service.app.request(`http://gw.test${path}`)
    return { status: response.status, headers: response.headers, html: await response.text() }
  }
  return {
    id: body.id as string,
    body,
    path,
    secret: path.split('/').at(-1)!,
    page,
    status: () => service.ask('GET', `${path}/status`),
  }
}
const statusOf = async (id: string) =>
  (await ask('GET', '?page_size=500')).body.data.find((link: { id: string }) => link.id === id)?.status

describe('the operations', () => {
  test('make a link, which is listed without its address', async () => {
    const { body, secret } = await newLink({
      expires_in: 300,
      allowed_origins: ['https://app.example.com', 'http://localhost:3000', 'https://app.example.com'],
      locale: 'PT',
      operator_name: '  Example CRM ',
      operator_color: '#0F6B3A',
    })
    assert.match(body.url, /^https:\/\/gw\.example\.com\/connect\/[\w-]{43}$/)
    const { url: _, ...link } = body
    assert.deepEqual(link, {
      id: link.id,
      instance_id: instance.id,
      status: 'open',
      created_at: new Date(service.clock.now()).toISOString(),
      expires_at: new Date(service.clock.now() + 5 * MINUTE).toISOString(),
      paired_at: null,
      allowed_origins: ['https://app.example.com', 'http://localhost:3000'],
      locale: 'pt',
      operator_name: 'Example CRM',
      operator_color: '#0f6b3a',
    })
    const listed = await ask('GET', `?instance_id=${instance.id}`)
    assert.deepEqual([listed.body.data, listed.body.total], [[link], 1])
    assert.ok(!JSON.stringify(listed.body).includes(secret))
    for await (const [name, value] of service.store.range(''))
      assert.ok(!`${name} ${Buffer.from(value).toString('latin1')}`.includes(secret), `${name} has the secret`)
  })

  test('have defaults: a day, English, no frame, no operator', async () => {
    const { body } = await newLink()
    const { allowed_origins, locale, operator_name, operator_color, expires_at, created_at } = body
    assert.deepEqual([allowed_origins, locale, operator_name, operator_color], [[], 'en', null, null])
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), DAY)
  })

  for (const [path, values] of [
    ['expires_in', [300, 604_800]],
    [
      'allowed_origins',
      [[], ['https://a.example:8443'], ['http://127.0.0.1'], Array.from({ length: 10 }, (_, at) => `https://a${at}.example`)],
    ],
    ['locale', ['en', 'pt', 'es', 'ES']],
    ['operator_name', [null, 'x', 'x'.repeat(60)]],
    ['operator_color', [null, '#000000', '#FFffFF']],
  ] as const)
    test(`${path} may be at its limits`, async () => {
      for (const value of values)
        assert.equal((await make({ [path]: value }, await service.newInstance())).status, 201, `${value}`)
    })

  for (const [path, values] of [
    ['instance_id', [undefined, null, 'x', 5]],
    ['expires_in', [299, 604_801, 300.5, '300', null]],
    ['allowed_origins', ['https://a.example', Array.from({ length: 11 }, (_, at) => `https://a${at}.example`), null]],
    [
      'allowed_origins.0',
      [
        ['http://a.example'],
        ['https://a.example/'],
        ['https://a.example/path'],
        ['https://A.example'],
        ['https://*.example'],
        ['*'],
        ['null'],
        [''],
        ['https://[::1]'],
        ['https://a.example:443'],
        ['https://user@a.example'],
        ["https://a.example;script-src 'unsafe-inline'"],
        ['https://a.example https://b.example'],
        ['data:'],
        [`https://${'a'.repeat(300)}.example`],
        [5],
      ],
    ],
    ['locale', ['fr', '', null, 5]],
    ['operator_name', ['', ' ', 'x'.repeat(61), 5]],
    ['operator_color', ['#fff', 'red', '#12345g', '#1234567', 'x#123456', '']],
  ] as const)
    test(`${path} is refused by its name`, async () => {
      for (const value of values) {
        const { status, body } = await make({ [path.split('.')[0]!]: value })
        assert.equal(status, 400, JSON.stringify(value))
        assert.deepEqual(
          body.error.details.issues.map((issue: { path: string }) => issue.path),
          [path],
          JSON.stringify(value),
        )
      }
    })

  test('belong to a workspace: another one neither lists, renews nor revokes its links, and makes none for its instances', async () => {
    const { id } = await newLink()
    const other = 'a7a1c7f0-3a1e-4f50-9e0f-2a6d1a5b7c11' as WorkspaceId
    const value = `svc_key_${'b'.repeat(48)}`
    const record = { ...service.account.workspace(service.workspace), id: other, createdAt: service.clock.now() + 1 }
    const theirs = { id: other, workspace: other, name: 'theirs', scopes: ['instances:write', 'instances:read'] as const }
    const rest = { hint: '', kind: 'api_key', hash: hashOf(value), createdAt: 1, lastUsedAt: null, lastUsedIp: null } as const
    await service.store.commit({
      ops: [
        workspaceRecords(service.sealer).encode(keys.workspace(other), {
          ...record,
          hasOwnSlots: false,
          adminKeyHash: hashOf('x'),
        }),
        keyRecords(service.sealer).encode(keys.apiKey(other, other), { ...theirs, ...rest }),
      ],
    })
    await service.account.load()
    const asOther = as(value)
    assert.deepEqual((await asOther('GET')).body.data, [])
    for (const [method, path, body] of [
      ['POST', '', { instance_id: instance.id }],
      ['POST', `/${id}/renew`, {}],
      ['DELETE', `/${id}`, undefined],
    ] as const)
      assert.equal((await asOther(method, path, body)).status, 404, `${method} ${path}`)
    assert.equal(await statusOf(id), 'open')
  })

  test('keep twenty open links of an instance; the one that ended first makes room', async () => {
    const first = await newLink({ expires_in: 300 })
    for (let count = 1; count < 20; count++) await newLink()
    const { status, body } = await make()
    assert.deepEqual([status, body.error.code], [403, 'not_allowed'])
    service.time.now += 6 * MINUTE
    await newLink()
    assert.equal(await statusOf(first.id), undefined)
  })

  test('make and renew none while messages wait, which would leave from the number that is paired next', async () => {
    const { id } = await newLink()
    service.double.waiting = 2
    for (const asked of [make(), ask('POST', `/${id}/renew`, {})]) {
      const { status, body } = await asked
      assert.deepEqual([status, body.error.code], [403, 'not_allowed'])
      assert.match(body.error.message, /\(2\)/)
    }
    service.double.waiting = 0
    assert.equal((await make()).status, 201)
    assert.equal((await ask('POST', `/${id}/renew`, {})).status, 200)
  })

  test('make and renew none while nobody knows whether an account is linked', async () => {
    const { id } = await newLink()
    service.double.isUp = false
    for (const asked of [make(), ask('POST', `/${id}/renew`, {})]) {
      const { status, body, headers } = await asked
      assert.deepEqual([status, body.error.code, headers.get('Retry-After')], [503, 'engine_unavailable', '1'])
    }
  })

  test('list and revoke without a plan, and make and renew nothing', async () => {
    const { id } = await newLink()
    const { subscription } = service.account.workspace(service.workspace)
    await service.changeWorkspace(() => ({ subscription: { ...subscription, status: 'expired' } }))
    try {
      for (const asked of [make(), ask('POST', `/${id}/renew`, {})]) assert.equal((await asked).body.error.code, 'plan_required')
      assert.equal(await statusOf(id), 'open')
      assert.equal((await ask('DELETE', `/${id}`)).status, 200)
    } finally {
      await service.changeWorkspace(() => ({ subscription }))
    }
  })
})

/**
 * Returns the connect links of a second service object on the same store. `onCommit` is called before each of its
 * commits.
 */
async function observed(onCommit: () => void) {
  const { store, sealer, directory, clock, log, double } = service
  const commits = { count: 0 }
  const watching = {
    ...store,
    // The second service finds no records, so it does not load the links of other tests.
    async *range() {},
    async commit(...args: Parameters<typeof store.commit>) {
      commits.count++
      onCommit()
      return store.commit(...args)
    },
  }
  const main = createMainRecords({ store: watching, log })
  const links = createConnectLinks({ store, main, sealer, directory, engine: double.engine, clock, log })
  await links.load()
  commits.count = 0
  const wish = { lifeMs: 300_000, allowedOrigins: [], locale: 'en', operator: { name: null, color: null } } as const
  return { links, commits, create: () => links.create(service.workspace, instance.id as InstanceId, wish) }
}

describe('a link that is made while the instance is paired', () => {
  test('is not made if the account is connected before the commit', async () => {
    const { links, create } = await observed(() => {})
    const { call } = service.double.engine
    service.double.engine.call = (async (...args: Parameters<typeof call>) => {
      const answer = await call(...args)
      service.double.tell(instance.id, { status: 'connected', paired: true })
      return answer
    }) as typeof call
    try {
      await assert.rejects(create(), { code: 'instance_already_connected' })
    } finally {
      service.double.engine.call = call
    }
    await links.stop()
  })

  test('ends if the account is connected during the commit of its creation or renewal', async () => {
    const { links, create } = await observed(() => service.double.tell(instance.id, { status: 'connected', paired: true }))
    const { link } = await create()
    await links.stop()
    const ended = links.list(service.workspace).find(({ id }) => id === link.id)!
    assert.equal(links.statusOf(ended), 'paired')
    service.double.tell(instance.id, { status: 'logged_out' })
    await links.renew(service.workspace, link.id, 300_000)
    await links.stop()
    assert.equal(links.statusOf(links.list(service.workspace).find(({ id }) => id === link.id)!), 'paired')
  })

  test('is written in the same commit that removes the one whose place it takes', async () => {
    const { links, create, commits } = await observed(() => {})
    for (let count = 0; count < 20; count++) await create()
    service.time.now += 6 * MINUTE
    commits.count = 0
    await create()
    assert.deepEqual([commits.count, links.list(service.workspace).length], [1, 20])
    await links.stop()
  })
})

/** Paths of the operations that a link opens. In addition, a link opens its own status. */
const OPENED = new Set([
  '/qr-code',
  '/phone-code/{phone}',
  '/restart',
  '/passkey',
  '/passkey/response',
  '/passkey/confirm',
  '/passkey/ticket',
])
const restOf = ({ path }: Pick<Endpoint, 'path'>) => path.slice(INSTANCE_BASE.length)
const isOpened = (each: Endpoint) => each.access === 'instance' && OPENED.has(restOf(each))

describe('an open link', () => {
  test('opens the operations of a pairing', async () => {
    const { path, page } = await newLink()
    assert.equal((await page()).status, 200)
    assert.equal((await service.ask('GET', `${path}/qr-code`)).status, 200)
    const { instance: asked, operation, ifUnpaired } = service.double.calls.at(-1)!
    assert.deepEqual([asked, operation, ifUnpaired], [instance.id, 'instance.qrCode', true])
    const ticket = await service.ask('POST', `${path}/passkey/ticket`, {})
    assert.deepEqual([ticket.status, Object.keys(ticket.body)], [201, ['ticket', 'expires_at', 'open_url']])
    assert.equal((await service.ask('GET', `${path}/phone-code/123`)).body.error.code, 'invalid_phone')
    assert.equal((await service.ask('POST', `${path}/passkey/response`, {})).body.error.code, 'invalid_request')
  })

  test('and no other one', async () => {
    const { path } = await newLink()
    const declared = endpoints.filter(({ access }) => access === 'instance')
    const opened = endpoints.filter(isOpened)
    const called = service.double.calls.length
    const isOfLink = (route: { method: string; path: string }) =>
      opened.some((each) => each.method === route.method && each.path === route.path) ||
      `${route.method} ${route.path}` === `GET ${INSTANCE_BASE}/status`
    // The routes include all aliases, and the routes of the compatible gateway (Z-API).
    const routes = [...requestRoutes, ...dialectRoutes].filter((each) => each.path.startsWith(INSTANCE_BASE) && !isOfLink(each))
    assert.ok(routes.length > declared.length)
    for (const { method, path: whole, name } of routes) {
      service.time.now += MINUTE
      const rest = restOf({ path: whole }).replace(/\{\w+\}/g, '1')
      const { status } = await service.ask(method, path + rest, method === 'GET' ? undefined : {}, { 'X-Dialect': 'zapi' })
      assert.equal(status, 404, name)
    }
    assert.equal(service.double.calls.length, called)
    assert.equal(opened.length, OPENED.size)
  })

  test('answers in the words of this service, whatever the dialect of the instance', async () => {
    await service.directory.update(instance.id as InstanceId, { settings: { dialect: 'zapi' } })
    const { path } = await newLink()
    for (const dialect of [undefined, { 'X-Dialect': 'zapi' }]) {
      const answer = (method: string, at: string, body?: unknown) => service.ask(method, path + at, body, dialect)
      assert.deepEqual((await answer('GET', '/qr-code')).body, QR)
      assert.equal((await answer('POST', '/passkey/confirm', {})).body.error.details.issues[0].path, 'matches')
      assert.equal((await answer('GET', '/me')).body.error.code, 'not_found')
    }
  })

  test('shows the status without the number, and says nothing while the shard does not answer', async () => {
    const link = await newLink()
    service.double.tell(instance.id, { status: 'qr', phone: '5511999990000' })
    const { status, body } = await link.status()
    assert.deepEqual(
      [status, body],
      [200, { connected: false, status: 'qr', paired: false, paused: false, pairing_failed: false }],
    )
    service.double.isUp = false
    const refused = await link.status()
    assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [503, '1'])
    assert.equal((await service.ask('GET', `${link.path}/qr-code`)).status, 503)
  })

  test('takes small bodies, and none where an operation has no fields', async () => {
    const { path } = await newLink()
    const large = { matches: true, more: 'x'.repeat(16_384) }
    const { status, body } = await service.ask('POST', `${path}/passkey/confirm`, large)
    assert.deepEqual([status, body.error.details.issues[0].message], [400, 'must have at most 16 KB'])
    assert.deepEqual(callsOf('instance.passkeyConfirm'), [])
    service.double.answer = () => ({ value: true, status: 'starting' })
    assert.equal((await service.ask('POST', `${path}/restart`, 'no JSON')).status, 201)
  })

  test('is checked again when the body has arrived', async () => {
    const expire = async () => {
      service.time.now += 5 * MINUTE
    }
    for (const end of [(id: string) => ask('DELETE', `/${id}`), expire]) {
      const { id, path } = await newLink({ expires_in: 300 })
      let more!: ReadableStreamDefaultController<Uint8Array>
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          more = controller
        },
      })
      const init = { method: 'POST', body, duplex: 'half', headers: { 'Content-Type': 'application/json' } }
      const asked = service.app.request(`http://gw.test${path}/passkey/confirm`, init as RequestInit)
      more.enqueue(Buffer.from('{"matches":'))
      await end(id)
      more.enqueue(Buffer.from('true}'))
      more.close()
      assert.equal((await asked).status, 401)
      assert.deepEqual(callsOf('instance.passkeyConfirm'), [])
    }
  })

  test('acts on no instance that has an account, which the shard decides', async () => {
    const { path, status } = await newLink()
    service.double.tell(instance.id, { status: 'connecting', paired: true })
    for (const [method, at, body] of [
      ['GET', '/qr-code', undefined],
      ['GET', '/phone-code/5511999990000', undefined],
      ['POST', '/restart', undefined],
      ['POST', '/passkey/confirm', { matches: true }],
      ['GET', '/passkey', undefined],
      ['POST', '/passkey/ticket', undefined],
    ] as const) {
      const refused = await service.ask(method, path + at, body)
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'instance_already_connected'], at)
      assert.equal(service.double.calls.at(-1)!.ifUnpaired, true)
    }
    assert.equal((await status()).status, 200)
  })

  test('nor do the tickets that it gave to a browser extension', async () => {
    const { path } = await newLink()
    const ticketOf = async (base: string) => {
      const { body } = await service.ask('POST', `${base}/passkey/ticket`)
      return { 'X-Passkey-Ticket': body.ticket as string }
    }
    const offered = async (ticket: Record<string, string>) => {
      const { status, body } = await service.ask('GET', '/passkey', undefined, ticket)
      return [status, body.error?.code]
    }
    const ofLink = await ticketOf(path)
    service.double.tell(instance.id, { status: 'connecting', paired: true })
    assert.deepEqual(await offered(ofLink), [409, 'instance_already_connected'])
    assert.deepEqual(await offered(await ticketOf(instance.base)), [200, undefined], 'a ticket of the owner is none of a link')
  })

  test('lets four requests wait for a QR code at a time', async () => {
    const [link, other] = [await newLink(), await newLink()]
    const arrivals: (() => void)[] = []
    service.double.answer = () => new Promise((resolve) => arrivals.push(() => resolve(QR)))
    const waiting = Array.from({ length: MAX_QR_WAITS }, () => service.ask('GET', `${link.path}/qr-code`))
    await until(
      async () => arrivals.length,
      (count) => count === MAX_QR_WAITS,
    )
    service.double.answer = () => QR
    const refused = await service.ask('GET', `${link.path}/qr-code`)
    assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [429, '2'])
    assert.equal((await service.ask('GET', `${other.path}/qr-code`)).status, 200)
    for (const arrive of arrivals) arrive()
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 200)
    assert.equal((await service.ask('GET', `${link.path}/qr-code`)).status, 200)
  })

  test('gives the browser extension a ticket that does not have the name of the instance', async () => {
    const { path } = await newLink()
    const nameFor = async (base: string) => {
      const { body } = await service.ask('POST', `${base}/passkey/ticket`)
      return (await service.ask('GET', '/passkey', undefined, { 'X-Passkey-Ticket': body.ticket })).body.name
    }
    assert.deepEqual([await nameFor(path), await nameFor(instance.base)], ['', 'Support BR'])
  })

  test('has a page that only the allowed origins frame, in the language and with the name of the operator', async () => {
    const name = '<b onclick="x">"Ex"</b>'
    const framed = await newLink({
      allowed_origins: ['https://app.example.com', 'http://localhost:3000'],
      locale: 'es',
      operator_name: name,
      operator_color: '#ffee00',
    })
    const { headers, html } = await framed.page()
    const policy = headers.get('Content-Security-Policy')!
    assert.ok(policy.includes('frame-ancestors https://app.example.com http://localhost:3000;'), policy)
    assert.ok(!policy.includes('unsafe'))
    assert.deepEqual([headers.get('Referrer-Policy'), headers.get('Cache-Control')], ['no-referrer', 'no-store'])
    assert.match(html, /<html lang="es">/)
    assert.ok(html.includes('Conectar con WhatsApp') && html.includes('&lt;b onclick=') && !html.includes('<b onclick'))
    // The text of the button must be black, because white would not be readable on yellow.
    assert.ok(html.includes('background: #ffee00; border-color: #ffee00; color: #000'))
    for (const secret of [instance.token, framed.secret]) assert.ok(!html.includes(secret))
    const plain = (await (await newLink()).page()).headers.get('Content-Security-Policy')!
    assert.ok(plain.includes("frame-ancestors 'none'"), plain)
  })

  test('has its own limit: it takes nothing from that of the instance, and nothing is taken from it', async () => {
    const { status, page, path } = await newLink({ locale: 'pt' })
    const me = () => service.ask('GET', `${instance.base}/me`)
    for (let count = 0; count < 60; count++) assert.equal((await status()).status, 200)
    const refused = await status()
    assert.deepEqual([refused.status, refused.headers.get('X-RateLimit-Remaining')], [429, null])
    assert.equal((await me()).headers.get('X-RateLimit-Remaining'), '119')
    const { status: answered, headers, html } = await page()
    assert.deepEqual([answered, headers.get('Retry-After')], [429, '1'])
    assert.ok(html.includes('Muitas tentativas') && !html.includes('rate_limited'))
    service.time.now += 1_000
    for (let count = 0; count < 120; count++) await me()
    assert.equal((await me()).status, 429)
    assert.equal((await service.ask('GET', `${path}/qr-code`)).status, 200)
  })

  test('has a narrower limit for what rings a phone or begins a session', async () => {
    const { path, status } = await newLink()
    const code = () => service.ask('GET', `${path}/phone-code/5511999990000`)
    const restart = () => service.ask('POST', `${path}/restart`)
    for (const asked of [code, restart]) {
      for (let count = 0; count < 5; count++) assert.ok((await asked()).status < 300)
      const { status: refused, headers } = await asked()
      assert.deepEqual([refused, headers.get('Retry-After')], [429, '60'])
    }
    assert.equal((await status()).status, 200)
    assert.equal((await service.ask('GET', `${(await newLink()).path}/phone-code/5511999990000`)).status, 200)
    service.time.now += MINUTE
    assert.deepEqual([(await code()).status, (await code()).status], [200, 429])
  })

  test('is read with GET and not with HEAD, which could start a session', async () => {
    const { path } = await newLink()
    const read = ['', '/status', '/qr-code', '/phone-code/5511999990000', '/passkey']
    const called = service.double.calls.length
    for (const each of read) assert.equal((await service.ask('HEAD', path + each)).status, 404, each)
    assert.equal(service.double.calls.length, called)
    for (const each of read) assert.equal((await service.ask('GET', path + each)).status, 200, each)
  })

  test('is counted by its route, and its limit by its own scope', async () => {
    const { path, page, status, secret } = await newLink()
    await page()
    for (let count = 0; count < 60; count++) await status()
    await service.ask('GET', `${path}/qr-code`)
    await page()
    const response = await service.app.request('http://gw.test/metrics', {
      headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
    })
    const metrics = await response.text()
    assert.ok(!metrics.includes(secret))
    for (const [route, code] of [
      ['/connect/{token}', 200],
      ['/connect/{token}', 429],
      ['/connect/{token}/status', 200],
      ['/connect/{token}/qr-code', 429],
    ])
      assert.match(metrics, new RegExp(`svc_http_requests_total\\{method="GET",route="${route}",status="${code}"\\} [1-9]`))
    assert.match(metrics, /svc_rate_limited_total\{scope="link"\} [1-9]/)
  })

  test('leaves its secret in no log', async () => {
    const { path, secret, page, status } = await newLink()
    await page()
    await status()
    await service.ask('GET', `${path}/elsewhere`)
    assert.ok(!JSON.stringify(service.lines).includes(secret))
    assert.ok(service.lines.some(({ fields }) => fields.route === '/connect/{token}/status'))
  })
})

describe('a link ends', () => {
  const codeOf = async (asked: Promise<{ status: number; body: { error?: { code: string } } }>) => {
    const { status, body } = await asked
    return [status, body.error?.code]
  }

  test('when the instance is connected; once it is logged out, the link can be opened again', async () => {
    const link = await newLink()
    service.double.tell(instance.id, { status: 'connecting', paired: true })
    assert.deepEqual((await link.status()).body, {
      connected: false,
      status: 'connecting',
      paired: true,
      paused: false,
      pairing_failed: false,
    })
    // The service handles this request after all earlier changes. So these are complete when the answer arrives.
    assert.deepEqual(await codeOf(make()), [409, 'instance_already_connected'])
    assert.equal(await statusOf(link.id), 'open')
    service.double.tell(instance.id, { status: 'connected', paired: true })
    await until(
      () => statusOf(link.id),
      (each) => each === 'paired',
    )
    // For a while, the page that paired the instance may still read the status, but nothing else.
    assert.equal((await link.status()).body.connected, true)
    assert.deepEqual(await codeOf(service.ask('GET', `${link.path}/qr-code`)), [401, 'unauthorized'])
    for (const asked of [make(), ask('POST', `/${link.id}/renew`, {})])
      assert.deepEqual(await codeOf(asked), [409, 'instance_already_connected'])
    service.double.tell(instance.id, { status: 'logged_out', paired: false })
    assert.equal(await statusOf(link.id), 'paired')
    assert.equal((await link.status()).body.connected, false)
    service.time.now += 2 * MINUTE
    const { status, body } = await link.status()
    assert.deepEqual([status, body.error.details.reason], [401, 'used'])
    // A person who opens the link again sees only that the link was used.
    const page = await link.page()
    assert.equal(page.status, 401)
    assert.ok(page.html.includes('This link has been used') && !page.html.includes('Connected'))
    const renewed = await ask('POST', `/${link.id}/renew`, { expires_in: 600 })
    assert.deepEqual([renewed.status, renewed.body.status, renewed.body.paired_at], [200, 'open', null])
    assert.equal((await link.status()).status, 200)
  })

  test('not when the pairing fails: the page says so, and another try is possible', async () => {
    const link = await newLink()
    service.double.tell(instance.id, { status: 'connecting', paired: true })
    service.double.tell(instance.id, { status: 'logged_out', reason: 'pairing_failed', paired: false })
    assert.deepEqual((await link.status()).body, {
      connected: false,
      status: 'logged_out',
      paired: false,
      paused: false,
      pairing_failed: true,
    })
    // The service handles this request after all earlier changes. So these are complete when the answer arrives.
    await newLink()
    assert.equal(await statusOf(link.id), 'open')
    service.double.answer = () => ({ value: true, status: 'starting' })
    assert.equal((await service.ask('POST', `${link.path}/restart`)).status, 201)
  })

  test('with its time, and is open again under the same address when it is renewed', async () => {
    const link = await newLink({ expires_in: 300, locale: 'pt', allowed_origins: ['https://app.example.com'] })
    service.time.now += 5 * MINUTE - 1
    assert.equal((await link.status()).status, 200)
    service.time.now += 1
    assert.deepEqual(await codeOf(link.status()), [401, 'unauthorized'])
    const calls = service.double.calls.length
    for (const { method, path } of endpoints.filter(isOpened)) {
      const { body } = await service.ask(method, `${link.path}${restOf({ path })}`, method === 'GET' ? undefined : {})
      const message = 'This link has expired or was revoked; ask for a new one.'
      assert.deepEqual(body.error, { code: 'unauthorized', message, details: { reason: 'ended' } }, path)
    }
    assert.equal(service.double.calls.length, calls)
    const { status, html, headers } = await link.page()
    assert.equal(status, 401)
    assert.ok(html.includes('Este link expirou') && !html.includes('id="qr"'))
    assert.ok(headers.get('Content-Security-Policy')!.includes('frame-ancestors https://app.example.com;'))
    assert.equal(await statusOf(link.id), 'expired')
    for (const expires_in of [299, 604_801])
      assert.deepEqual(await codeOf(ask('POST', `/${link.id}/renew`, { expires_in })), [400, 'invalid_request'])
    assert.equal((await ask('POST', `/${link.id}/renew`, { expires_in: 604_800 })).status, 200)
    assert.equal((await link.status()).status, 200)
    assert.equal((await link.page()).status, 200)
  })

  test('together with the pairing that was begun with it', async () => {
    const endings = () => callsOf('instance.endPairing').filter((call) => call.instance === instance.id)
    const [revoked, expired, unused] = [await newLink(), await newLink({ expires_in: 300 }), await newLink()]
    await ask('DELETE', `/${unused.id}`)
    assert.equal(endings().length, 0)
    await service.ask('GET', `${revoked.path}/qr-code`)
    await ask('DELETE', `/${revoked.id}`)
    assert.deepEqual(
      endings().map(({ ifUnpaired }) => ifUnpaired),
      [true],
    )
    await service.ask('GET', `${expired.path}/qr-code`)
    await service.connectLinks.sweep()
    assert.equal(endings().length, 1)
    service.time.now += 5 * MINUTE
    await service.connectLinks.sweep()
    await service.connectLinks.sweep()
    assert.equal(endings().length, 2)
  })

  test('and the pairing stays that has succeeded, or whose shard does not answer', async () => {
    for (const change of [
      () => service.double.tell(instance.id, { status: 'connecting', paired: true }),
      () => {
        service.double.isUp = false
      },
    ]) {
      const link = await newLink()
      await service.ask('GET', `${link.path}/qr-code`)
      change()
      assert.equal((await ask('DELETE', `/${link.id}`)).status, 200)
      service.double.tell(instance.id, { status: 'qr' })
    }
  })

  test('for good a week later, without a restart', async () => {
    const link = await newLink({ expires_in: 300 })
    service.time.now += 5 * MINUTE + 7 * DAY - 1
    await service.connectLinks.sweep()
    assert.ok(service.connectLinks.find(link.secret))
    service.time.now += 1
    await service.connectLinks.sweep()
    assert.equal(service.connectLinks.find(link.secret), undefined)
    assert.equal(await service.store.get(keys.connectLink(link.id)), undefined)
  })

  test('when it is revoked, and with its instance', async () => {
    const link = await newLink()
    assert.deepEqual((await ask('DELETE', `/${link.id}`)).body, { value: true })
    assert.deepEqual(await codeOf(link.status()), [401, 'unauthorized'])
    const { status, html } = await link.page()
    assert.equal(status, 401)
    assert.match(html, /This link has expired or was revoked/)
    assert.equal(await statusOf(link.id), undefined)
    for (const [method, path] of [
      ['DELETE', `/${link.id}`],
      ['POST', `/${link.id}/renew`],
    ] as const)
      assert.deepEqual(await codeOf(ask(method, path)), [404, 'not_found'])

    const other = await newLink()
    await service.directory.delete(instance.id as InstanceId)
    assert.deepEqual(await codeOf(other.status()), [401, 'unauthorized'])
    assert.equal(await statusOf(other.id), undefined)
  })

  test('a restart finds the links, without those that ended a week ago or have no instance', async () => {
    const [kept, ended, orphan] = [
      await newLink(),
      await newLink({ expires_in: 300 }),
      await newLink({}, await service.newInstance()),
    ]
    await service.store.commit({
      ops: [
        [keys.config(orphan.body.instance_id), null],
        [keys.connectLink('damaged'), Buffer.from('damaged')],
      ],
    })
    const { store, sealer, directory, clock, log, double } = service
    const restarted = () =>
      createConnectLinks({ store, main: createMainRecords({ store, log }), sealer, directory, engine: double.engine, clock, log })
    const first = restarted()
    await first.load()
    assert.deepEqual(
      [kept, ended, orphan].map(({ secret }) => first.find(secret)?.id),
      [kept.id, ended.id, undefined],
    )
    assert.ok(service.lines.some(({ level, message }) => level === 'error' && message.includes('could not be read')))
    service.time.now += 7 * DAY + 5 * MINUTE
    const second = restarted()
    await second.load()
    assert.deepEqual(
      [kept, ended].map(({ secret }) => second.find(secret)?.id),
      [kept.id, undefined],
    )
    for (const links of [first, second]) await links.stop()
  })

  test('if its instance was connected before a restart has read the links', async () => {
    const { id, secret } = await newLink()
    const open = await service.store.get(keys.connectLink(id))
    service.double.tell(instance.id, { status: 'connected', paired: true })
    await service.connectLinks.stop()
    await service.store.commit({ ops: [[keys.connectLink(id), open!]] })
    const { store, sealer, directory, clock, log, double } = service
    const main = createMainRecords({ store, log })
    const links = createConnectLinks({ store, main, sealer, directory, engine: double.engine, clock, log })
    await links.load()
    await links.stop()
    assert.equal(links.statusOf(links.find(secret)!), 'paired')
  })
})

const GUESSES = 10_000

test('guesses find nothing, however many, and lock nobody out who has a link', async () => {
  const link = await newLink()
  const statuses = new Map<number, number>()
  for (let guess = 0; guess < GUESSES; guess++) {
    const secret = guess % 2 === 0 ? randomBytes(32).toString('base64url') : link.secret.slice(0, guess % 43)
    const path = `/connect/${secret || 'x'}${guess % 3 === 0 ? '/status' : ''}`
    const { status } = await service.app.request(`http://gw.test${path}`)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual([...statuses].sort(), [
    [401, 30],
    [429, GUESSES - 30],
  ])
  assert.equal((await link.status()).status, 200)
})
