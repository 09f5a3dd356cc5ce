import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { endpoints } from '../../src/features/index.ts'
import { METRICS } from '../../src/metrics/table.ts'
import { type Family, parse, total } from '../harness/prometheus.ts'
import { ADMIN_KEY, METRICS_TOKEN, openService, type Service } from './http/service.ts'

const CONTRACT: readonly [name: string, type: string, labels: readonly string[]][] = [
  ['svc_http_requests_total', 'counter', ['method', 'route', 'status']],
  ['svc_http_request_duration_seconds', 'histogram', ['method', 'route']],
  ['svc_instances', 'gauge', ['status']],
  ['svc_instance_status_changes_total', 'counter', ['to', 'reason']],
  ['svc_engine_reconnects_total', 'counter', ['reason']],
  ['svc_queue_waiting', 'gauge', []],
  ['svc_queue_sent_total', 'counter', ['type']],
  ['svc_queue_failed_total', 'counter', ['type', 'error_code']],
  ['svc_engine_action_duration_seconds', 'histogram', ['operation']],
  ['svc_engine_action_errors_total', 'counter', ['operation', 'code']],
  ['svc_webhook_deliveries_total', 'counter', ['type', 'result']],
  ['svc_webhook_duration_seconds', 'histogram', ['type']],
  ['svc_webhook_backlog', 'gauge', []],
  ['svc_rate_limited_total', 'counter', ['scope']],
]

const bearer = { Authorization: `Bearer ${METRICS_TOKEN}` }

async function read(service: Service, headers: Record<string, string> = bearer): Promise<Map<string, Family>> {
  const { status, response } = await service.ask('GET', '/metrics', undefined, headers)
  assert.equal(status, 200)
  return parse(await response.text())
}

describe('numbers', () => {
  let service: Service
  before(async () => {
    service = await openService()
  })
  after(() => service.close())

  test('every metric of the contract is there from the first answer on, with its type and its labels', async () => {
    const families = await read(service)
    for (const [name, type, labels] of CONTRACT) {
      assert.equal(families.get(name)?.type, type, name)
      assert.deepEqual(METRICS[name as keyof typeof METRICS].labels, labels, name)
    }
    for (const start of ['process_', 'nodejs_']) assert.ok([...families.keys()].some((name) => name.startsWith(start)))
  })

  test('it is the text format 0.0.4, without rate headers', async () => {
    const { headers } = await service.ask('GET', '/metrics', undefined, bearer)
    assert.equal(headers.get('Content-Type'), 'text/plain; version=0.0.4; charset=utf-8')
    assert.equal(headers.get('X-RateLimit-Limit'), null)
  })

  test('a request is counted under its route as it is declared, and nothing of its path', async () => {
    const { base } = await service.newInstance()
    service.double.answer = () => []
    await service.ask('GET', `${base}/queue`)
    await service.ask('GET', `${base}/nothing/5511988887777`)
    await service.ask('GET', '/5511988887777/metrics')
    await service.app.request('http://gw.test/health/live', { method: 'PROPFIND' })
    const families = await read(service)
    const counted = families.get('svc_http_requests_total')!.samples
    const routes = new Set(counted.map(({ labels }) => labels.route))
    for (const route of routes) assert.ok(route === 'other' || endpoints.some(({ path }) => path === route), route)
    assert.equal(
      total(families, 'svc_http_requests_total', { route: '/instances/{instance_id}/token/{token}/queue', status: '200' }),
      1,
    )
    assert.equal(total(families, 'svc_http_requests_total', { route: 'other', method: 'GET', status: '404' }), 2)
    assert.equal(total(families, 'svc_http_requests_total', { route: 'other', method: 'other' }), 1)
    assert.equal(
      total(families, 'svc_http_request_duration_seconds_count'),
      total(families, 'svc_http_requests_total'),
      'every request has a duration',
    )
  })

  test('a request whose caller has gone is no failure of ours', async () => {
    const before = total(await read(service), 'svc_http_requests_total', { status: '499' })
    service.peer.hasLeft = true
    await service.ask('GET', '/health/live')
    service.peer.hasLeft = false
    assert.equal(total(await read(service), 'svc_http_requests_total', { status: '499' }), before + 1)
  })

  test('immediate operations are timed, and their failures counted by code', async () => {
    const { base } = await service.newInstance()
    service.double.answer = () => {
      throw new TypeError('of the double')
    }
    await service.ask('GET', `${base}/queue`)
    const families = await read(service)
    assert.equal(total(families, 'svc_engine_action_errors_total', { operation: 'queue.list', code: 'internal' }), 1)
    assert.ok(total(families, 'svc_engine_action_duration_seconds_count', { operation: 'queue.list' }) >= 1)
  })

  test('a refusal for the rate is counted by the limit it met', async () => {
    const { base } = await service.newInstance()
    for (let at = 0; at < 121; at++) await service.ask('GET', `${base}/me`)
    for (let at = 0; at < 121; at++) await service.admin('GET', '/admin/api-keys')
    const { address } = service.peer
    service.peer.address = '198.51.100.99'
    for (let at = 0; at < 31; at++) await service.ask('GET', '/instances/a/token/b/me')
    service.peer.address = address
    const families = await read(service)
    for (const scope of ['instance', 'workspace', 'credential'])
      assert.equal(total(families, 'svc_rate_limited_total', { scope }), 1, scope)
  })

  test('instances are counted by status, each status with its number', async () => {
    const families = await read(service)
    const { samples } = families.get('svc_instances')!
    assert.equal(samples.length, 9)
    assert.equal(total(families, 'svc_instances', { status: 'qr' }), total(families, 'svc_instances'))
    assert.ok(total(families, 'svc_instances') >= 3)
  })

  test('no credential, id or path of a request is in the text', async () => {
    const { id, token, base } = await service.newInstance()
    await service.ask('GET', `${base}/me`)
    await service.ask('GET', `/instances/${id}/token/${token}x/me`)
    const { response } = await service.ask('GET', '/metrics', undefined, bearer)
    const text = await response.text()
    for (const secret of [id, token, ADMIN_KEY, METRICS_TOKEN, 'gw.test', '198.51.100']) assert.ok(!text.includes(secret), secret)
  })
})

describe('who may read', () => {
  const codeOf = async (service: Service, headers: Record<string, string> = {}) => {
    const { status, body } = await service.ask('GET', '/metrics', undefined, headers)
    return [status, body?.error.code]
  }

  const local = { Host: '127.0.0.1:8080' }

  test('with a token: whoever has it, from anywhere, and nobody else', async () => {
    const service = await openService()
    try {
      assert.deepEqual(await codeOf(service, bearer), [200, undefined])
      assert.deepEqual(await codeOf(service, { Authorization: `bearer ${METRICS_TOKEN}` }), [200, undefined])
      service.peer.address = '127.0.0.1'
      for (const value of ['', 'Bearer', 'Bearer other', METRICS_TOKEN, `Bearer ${METRICS_TOKEN}x`, `Bearer ${ADMIN_KEY}`])
        assert.deepEqual(await codeOf(service, { Authorization: value }), [401, 'unauthorized'], value)
      assert.deepEqual(await codeOf(service), [401, 'unauthorized'])
    } finally {
      await service.close()
    }
  })

  test('the token may be short: whoever guesses is not answered any more, not even with the right one', async () => {
    const service = await openService()
    try {
      service.peer.address = '198.51.100.98'
      for (let at = 0; at < 30; at++) assert.deepEqual(await codeOf(service), [401, 'unauthorized'])
      assert.deepEqual(await codeOf(service), [429, 'rate_limited'])
      assert.deepEqual(await codeOf(service, bearer), [200, undefined], 'who names no token guesses at none')
      service.time.now += 60_000
      for (let at = 0; at < 30; at++)
        assert.deepEqual(await codeOf(service, { Authorization: `Bearer ${at}` }), [401, 'unauthorized'])
      assert.deepEqual(await codeOf(service, bearer), [429, 'rate_limited'])
      assert.equal((await service.ask('GET', '/admin/api-keys', undefined, { Authorization: `Bearer ${ADMIN_KEY}` })).status, 200)
      service.peer.address = '198.51.100.99'
      assert.deepEqual(await codeOf(service, bearer), [200, undefined])
    } finally {
      await service.close()
    }
  })

  const NEAR = ['127.0.0.1', '127.8.8.8', '::1', '10.1.2.3', '172.31.0.9', '192.168.1.1', 'fd00::5', '::ffff:10.0.0.1']
  const FAR = ['198.51.100.7', '172.32.0.1', '8.8.8.8', '2001:db8::1', '::ffff:8.8.8.8', '100.64.0.1', 'unknown']

  test('without a token: this machine and private networks; to others there is no such route', async () => {
    const service = await openService({ hasMetricsToken: false })
    try {
      for (const address of NEAR) {
        service.peer.address = address
        assert.deepEqual(await codeOf(service, local), [200, undefined], address)
      }
      for (const address of FAR) {
        service.peer.address = address
        assert.deepEqual(await codeOf(service, { ...bearer, ...local }), [404, 'not_found'], address)
      }
      const { body: hidden } = await service.ask('GET', '/metrics')
      assert.deepEqual(hidden, (await service.ask('GET', '/no-such-route')).body)
    } finally {
      await service.close()
    }
  })

  test('whoever comes through a proxy that is not trusted may be anybody, and is refused', async () => {
    const service = await openService({ hasMetricsToken: false })
    try {
      service.peer.address = '127.0.0.1'
      for (const [name, value] of [
        ['X-Forwarded-For', '203.0.113.9'],
        ['X-Forwarded-For', '127.0.0.1'],
        ['Forwarded', 'for=203.0.113.9'],
        ['X-Real-IP', '10.0.0.1'],
        ['Via', '1.1 proxy'],
      ] as const)
        assert.deepEqual(await codeOf(service, { ...local, [name]: value }), [404, 'not_found'], name)
    } finally {
      await service.close()
    }
  })

  test('behind a trusted proxy the address it names decides, not one the caller wrote', async () => {
    const service = await openService({ hasMetricsToken: false, trustedProxies: ['127.0.0.1/32'] })
    try {
      service.peer.address = '127.0.0.1'
      const through = (forwardedFor: string) => codeOf(service, { ...local, 'X-Forwarded-For': forwardedFor, Via: '1.1 proxy' })
      assert.deepEqual(await through('203.0.113.9'), [404, 'not_found'])
      assert.deepEqual(await through('127.0.0.1, 203.0.113.9'), [404, 'not_found'])
      assert.deepEqual(await through('203.0.113.9, 10.0.0.8'), [200, undefined])
      assert.deepEqual(await codeOf(service, local), [200, undefined], 'the proxy machine itself')
    } finally {
      await service.close()
    }
  })

  test('without a token: only under a name that nobody outside can have for this machine', async () => {
    const service = await openService({ hasMetricsToken: false })
    try {
      service.peer.address = '192.168.1.7'
      for (const Host of [
        'localhost:8080',
        'LOCALHOST',
        '127.0.0.1',
        '192.168.1.2:8080',
        '[::1]:8080',
        '[fd00::1]',
        'svc:8080',
        'my_box',
        'a.localhost',
      ])
        assert.deepEqual(await codeOf(service, { Host }), [200, undefined], Host)
      for (const Host of [
        'rebound.example',
        'rebound.example:8080',
        '127.0.0.1.example',
        '203.0.113.9',
        '[2001:db8::1]',
        'localhost.',
        '',
      ])
        assert.deepEqual(await codeOf(service, { Host }), [404, 'not_found'], Host)
    } finally {
      await service.close()
    }
  })

  test('it takes no token of any bucket, whoever asks how often', async () => {
    const service = await openService()
    try {
      for (let at = 0; at < 200; at++) assert.deepEqual(await codeOf(service, bearer), [200, undefined])
    } finally {
      await service.close()
    }
  })
})
