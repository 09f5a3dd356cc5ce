/** Tests the operations of the API as the dashboard calls them: with a session instead of credentials. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { endpoints } from '../../../src/features/index.ts'
import { ADMIN_KEY, openService, type Service } from '../http/service.ts'

const OWN = { 'X-Svc-Dashboard': '1', Host: 'gw.test' }

describe('operations', () => {
  let service: Service
  let mine: Record<string, string>
  before(async () => {
    service = await openService({ dashboard: { mode: 'on' } })
    const body = JSON.stringify({ admin_key: ADMIN_KEY })
    const { headers, body: info } = await service.ask('POST', '/dashboard/session', body, {
      ...OWN,
      'Content-Length': String(body.length),
    })
    mine = { ...OWN, 'X-Svc-Dashboard': info.proof, Cookie: headers.get('Set-Cookie')!.split(';')[0]! }
  })
  after(() => service.close())

  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    // The clock advances, so that the rate limit bucket is refilled.
    service.time.now += 1_000
    return service.ask(method, `/dashboard/api${path}`, body, { ...mine, ...headers })
  }

  test('every operation with a credential is there, without the token in its path, and none of the others', async () => {
    const instance = '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90'
    for (const { id, method, path, access, contentType } of endpoints) {
      const there = path
        .replace('/token/{token}', '')
        .replace('{instance_id}', instance)
        .replace(/\{\w+\}/g, 'x')
      const { body, status } = await ask(method, there)
      const isRoute = body?.error?.message !== 'No such route exists.'
      const isWanted = !['public', 'described', 'metrics'].includes(access) && !contentType.startsWith('text/html')
      assert.equal(isRoute, isWanted, `${id}: ${status} ${JSON.stringify(body)}`)
    }
  })

  test('an instance is made, seen, changed and deleted', async () => {
    const made = await ask('POST', '/account/instances', { name: 'From the page' })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.match(made.body.token, /^[0-9a-f]{48}$/)
    const { id } = made.body
    assert.equal((await ask('PUT', `/instances/${id}/name`, { value: 'Renamed' })).status, 200)
    assert.equal((await ask('GET', `/instances/${id}/me`)).body.name, 'Renamed')
    service.double.answer = (instance, operation, input) => ({ instance, operation, input })
    assert.deepEqual((await ask('GET', `/instances/${id}/queue?page=2`)).body, {
      instance: id,
      operation: 'queue.list',
      input: { page: 2, page_size: 20 },
    })
    service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
    const sent = await ask('POST', `/instances/${id}/send-text`, { phone: '5511988887777', message: 'hi' })
    assert.deepEqual(sent.body, { id: 'M', message_id: 'M', svc_id: 'S', status: 'queued' })
    assert.equal((await ask('DELETE', `/account/instances/${id}`)).status, 200)
    assert.equal((await ask('GET', `/instances/${id}/me`)).status, 404)
  })

  test('a body of the webhook log is shown on a click alone, and the log says who looked at it', async () => {
    const { id } = await service.newInstance()
    const event = '01JD3V8Q6ZP4M5T7X9K2B0C1DE'
    await service.newLogRow(id, event)
    service.double.answer = () => ({ body: 'a secret sentence' })
    const looked = () => service.lines.filter(({ message }) => message.includes('was shown to an administrator'))
    const list = await ask('GET', '/admin/webhook-log')
    assert.equal(list.body.total, 1)
    assert.ok(!JSON.stringify(list.body).includes('secret sentence'))
    assert.deepEqual(looked(), [])
    const shown = await ask('POST', `/webhook-log/${event}/body`)
    assert.deepEqual([shown.status, shown.body], [200, { body: 'a secret sentence' }])
    const { address } = service.peer
    assert.deepEqual(
      looked().map(({ fields }) => fields),
      [{ instance_id: id, event_id: event, address }],
    )
  })

  test('the switches that guard the API do not lock the operator out', async () => {
    const { id } = await service.newInstance()
    await service.newKey(['instances:operate'])
    await ask('PUT', '/admin/security/require-client-token', { value: true })
    await ask('PUT', '/admin/security/ip-allowlist', { enabled: true, entries: [{ cidr: '203.0.113.0/24' }] })
    assert.equal((await ask('GET', `/instances/${id}/me`)).status, 200)
    assert.equal((await ask('GET', '/account/instances')).status, 200)
    await ask('PUT', '/admin/security/ip-allowlist', { enabled: false })
  })

  test('without a plan everything is seen, nothing is made, and the plan can be changed', async () => {
    await ask('PUT', '/admin/subscription', { status: 'expired' })
    assert.equal((await ask('GET', '/account/instances')).status, 200)
    assert.equal((await ask('POST', '/account/instances', { name: 'one more' })).body.error.code, 'plan_required')
    assert.equal((await ask('PUT', '/admin/subscription', { status: 'active' })).status, 200)
    assert.equal((await ask('POST', '/account/instances', { name: 'one more' })).status, 201)
  })

  test('wrong fields are named as everywhere', async () => {
    const { status, body } = await ask('POST', '/account/instances', { name: '' })
    assert.equal(status, 400)
    assert.equal(body.error.details.issues[0].path, 'name')
  })

  test('a session has a limit of its own, and an instance’s callers feel nothing of it', async () => {
    const { base } = await service.newInstance()
    let refused = 0
    for (let count = 0; count < 125; count++) {
      const { status } = await service.ask('GET', '/dashboard/api/admin/security', undefined, mine)
      if (status === 429) refused++
    }
    assert.ok(refused > 0)
    assert.equal((await service.ask('PUT', `${base}/settings`, { auto_read_message: true }, {})).status, 401)
    await ask('PUT', '/admin/security/require-client-token', { value: false })
    assert.equal((await service.ask('PUT', `${base}/settings`, { auto_read_message: true }, {})).status, 200)
  })
})

describe('files', () => {
  let service: Service
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-dashboard-'))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><script src="assets/main-aB3_x9Zq.js"></script>')
    await writeFile(join(folder, 'assets/main-aB3_x9Zq.js'), `/* ${'x'.repeat(1_000)} */`)
    await writeFile(join(folder, 'assets/main-aB3_x9Zq.js.map'), '{}')
    service = await openService({ dashboard: { mode: 'on', folder } })
  })
  after(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })

  const get = (path: string, headers: Record<string, string> = {}) =>
    service.app.request(`http://gw.test${path}`, { headers: { Host: 'gw.test', ...headers } })

  test('the document allows nothing from elsewhere and nothing inline', async () => {
    const response = await get('/dashboard/')
    assert.equal(response.status, 200)
    const policy = response.headers.get('Content-Security-Policy')!
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'(;|$)/)
    assert.match(policy, /style-src 'self'(;|$)/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'none'/)
    assert.ok(!/unsafe|\*|https?:/.test(policy), policy)
    assert.equal(response.headers.get('X-Content-Type-Options'), 'nosniff')
    assert.equal(response.headers.get('Referrer-Policy'), 'no-referrer')
    assert.equal(response.headers.get('Cache-Control'), 'no-cache')
  })

  test('it is asked for anew each time, its files are kept for ever', async () => {
    const first = await get('/dashboard/')
    const again = await get('/dashboard/', { 'If-None-Match': first.headers.get('ETag')! })
    assert.equal(again.status, 304)
    const file = await get('/dashboard/assets/main-aB3_x9Zq.js', { 'Accept-Encoding': 'gzip' })
    assert.equal(file.headers.get('Cache-Control'), 'public, max-age=31536000, immutable')
    assert.equal(file.headers.get('Content-Type'), 'text/javascript; charset=utf-8')
    assert.equal(file.headers.get('Content-Encoding'), 'gzip')
    assert.match(gunzipSync(Buffer.from(await file.arrayBuffer())).toString(), /^\/\* x+ \*\/$/)
    assert.notEqual(file.headers.get('ETag'), (await get('/dashboard/assets/main-aB3_x9Zq.js')).headers.get('ETag'))
  })

  test('nothing else is served', async () => {
    for (const path of [
      '/dashboard/assets/main-aB3_x9Zq.js.map',
      '/dashboard/assets',
      '/dashboard/..%2f..%2fpackage.json',
      '/dashboard/x',
    ])
      assert.equal((await get(path)).status, 404, path)
    const short = await get('/dashboard')
    assert.deepEqual([short.status, short.headers.get('Location')], [308, 'dashboard/'])
  })
})

describe('who may see it', () => {
  test('by default programs on this machine that came directly, and nobody else hears that there is one', async () => {
    const service = await openService({ dashboard: { mode: 'loopback' }, trustedProxies: ['10.0.0.1'] })
    try {
      const status = async (address: string, headers: Record<string, string> = {}) => {
        service.peer.address = address
        const statuses = new Set<number>()
        for (const path of ['/dashboard/', '/dashboard/session', '/dashboard'])
          statuses.add(
            (await service.app.request(`http://gw.test${path}`, { headers: { ...OWN, Host: 'localhost:8080', ...headers } }))
              .status,
          )
        return [...statuses]
      }
      assert.deepEqual(await status('127.0.0.1'), [200, 308])
      assert.deepEqual(await status('::ffff:127.0.0.1', { Host: '127.0.0.1:8080' }), [200, 308])
      assert.deepEqual(await status('::1', { Host: '[::1]:8080' }), [200, 308])
      assert.deepEqual(await status('192.168.1.20'), [404])
      assert.deepEqual(await status('203.0.113.9'), [404])
      // The headers are those of a reverse proxy on the same machine that is not configured as a trusted proxy.
      assert.deepEqual(await status('127.0.0.1', { 'X-Forwarded-For': '203.0.113.9' }), [404])
      assert.deepEqual(await status('10.0.0.1', { 'X-Forwarded-For': '127.0.0.1' }), [200, 308])
      assert.deepEqual(await status('10.0.0.1', { 'X-Forwarded-For': '203.0.113.9' }), [404])
      // An attacker can make any host name resolve to this machine. So the service must check the host name in the
      // request.
      assert.deepEqual(await status('127.0.0.1', { Host: 'evil.example' }), [404])
    } finally {
      await service.close()
    }
  })

  test('switched off there is none', async () => {
    const service = await openService()
    try {
      for (const path of ['/dashboard', '/dashboard/', '/dashboard/session', '/dashboard/api/admin/workspace'])
        assert.equal((await service.ask('GET', path, undefined, OWN)).body.error.code, 'not_found')
    } finally {
      await service.close()
    }
  })
})
