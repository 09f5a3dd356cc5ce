import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { ADMIN_KEY, METRICS_TOKEN, openService, type Service } from './http/service.ts'

interface Caller {
  name: string
  /** Name of the rate limit bucket. Callers with the same name share one bucket. */
  bucket: string
  ask(): ReturnType<Service['ask']>
}

let service: Service
let callers: Caller[]
beforeEach(async () => {
  service = await openService()
  const one = await service.newInstance('one')
  const two = await service.newInstance('two')
  const keys = [await service.newKey(['instances:read']), await service.newKey(['instances:read', 'instances:operate'])]
  service.double.answer = () => ({ message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' })
  const list = (value: string) => () => service.ask('GET', '/account/instances', undefined, { Authorization: `Bearer ${value}` })
  callers = [
    { name: 'a read of an instance', bucket: 'one', ask: () => service.ask('GET', `${one.base}/me`) },
    {
      name: 'a send of the same instance',
      bucket: 'one',
      ask: () => service.ask('POST', `${one.base}/send-text`, { phone: '5511988887777', message: 'hello' }),
    },
    { name: 'a request of it that is refused', bucket: 'one', ask: () => service.ask('POST', `${one.base}/send-text`, '{') },
    { name: 'another instance', bucket: 'two', ask: () => service.ask('GET', `${two.base}/me`) },
    { name: 'a key of the workspace', bucket: 'workspace', ask: list(keys[0]!.value) },
    { name: 'another key of it', bucket: 'workspace', ask: list(keys[1]!.value) },
    { name: 'its administration', bucket: 'workspace', ask: () => service.admin('GET', '/admin/security') },
  ]
  // The requests that created the keys were counted, so the clock advances until all buckets are full again.
  service.time.now += 60_000
})
afterEach(() => service.close())

const limited = ({ status }: { status: number }) => status === 429
const remaining = ({ headers }: { headers: Headers }) => headers.get('X-RateLimit-Remaining')

async function drain({ ask }: Caller) {
  for (let left = 119; left >= 0; left--) {
    const answer = await ask()
    assert.ok(!limited(answer))
    assert.deepEqual([answer.headers.get('X-RateLimit-Limit'), remaining(answer)], ['60', String(left)])
    assert.equal(answer.headers.get('Retry-After'), null)
  }
}

describe('each caller has exactly 120 at once, then 60 a second, and shares them with those of the same bucket alone', () => {
  for (let at = 0; at < 7; at++)
    test(`caller ${at}`, async (t) => {
      const caller = callers[at]!
      t.diagnostic(caller.name)
      await drain(caller)
      for (const other of callers) {
        const answer = await other.ask()
        assert.equal(limited(answer), other.bucket === caller.bucket, other.name)
        if (!limited(answer)) continue
        assert.equal(answer.body.error.code, 'rate_limited')
        assert.deepEqual([answer.headers.get('Retry-After'), remaining(answer)], ['1', '0'])
      }
      // The bucket gets a token every sixtieth of a second (16.7 ms), so 16 ms are not enough.
      service.time.now += 16
      assert.ok(limited(await caller.ask()))
      service.time.now += 1
      assert.ok(!limited(await caller.ask()))
      assert.ok(limited(await caller.ask()))
      service.time.now += 1_000
      for (let sent = 0; sent < 60; sent++) assert.ok(!limited(await caller.ask()), `request ${sent} of the second`)
      assert.ok(limited(await caller.ask()))
      // A bucket never has more than 120 tokens, even after a long time without requests.
      service.time.now += 3_600_000
      assert.equal(remaining(await caller.ask()), '119')
    })
})

test('a clock that is set back gives nothing away and takes nothing', async () => {
  const [caller] = callers
  await drain(caller!)
  service.time.now -= 3_600_000
  assert.ok(limited(await caller!.ask()))
  service.time.now += 1_000
  for (let sent = 0; sent < 60; sent++) assert.ok(!limited(await caller!.ask()))
  assert.ok(limited(await caller!.ask()))
})

// An address with many wrong credentials is blocked for a minute: further wrong ones are refused, and of a chosen secret
// also the right one. An earlier bug: if the wall clock was set back by an hour, this lasted for that hour, too.
test('nor does it make the minute of wrong guesses longer, of a chosen secret or of any other', async () => {
  service.peer.address = '198.51.100.98'
  const scrape = (value: string) => service.ask('GET', '/metrics', undefined, { Authorization: `Bearer ${value}` })
  const guess = () => service.ask('GET', '/admin/api-keys', undefined, { Authorization: 'Bearer wrong' })
  for (let at = 0; at < 30; at++) await Promise.all([scrape(`guess-${at}`), guess()])
  assert.ok(limited(await scrape(METRICS_TOKEN)))
  assert.ok(limited(await guess()))
  service.time.steppedBy = -3_600_000
  service.time.now += 60_000
  assert.ok(!limited(await scrape(METRICS_TOKEN)))
  assert.ok(!limited(await guess()))
})

// An earlier bug: only answers under the path of an instance had the headers of the rate limit, and only if the request
// got as far as the check of the bucket.
test('whoever can be named is told the limits also where a request gets no further than its route or its credential', async () => {
  const { base } = await service.newInstance('three')
  const bearer = (value: string) => ({ Authorization: `Bearer ${value}` })
  const { value: key } = await service.newKey(['instances:operate'])
  service.time.now += 60_000
  const token = base.split('/').at(-1)!
  for (const [method, path, headers, status] of [
    ['GET', base, {}, 404],
    ['GET', `${base}/`, {}, 404],
    ['GET', `${base}/nothing`, {}, 404],
    ['DELETE', `${base}/send-text`, {}, 404],
    ['HEAD', `${base}/me`, {}, 404],
    ['GET', '/account', bearer(key), 404],
    ['GET', '/account/nothing', bearer(key), 404],
    ['PATCH', '/account/instances', bearer(key), 404],
    ['HEAD', '/account/instances', bearer(key), 404],
    ['GET', '/account/instances', bearer(ADMIN_KEY), 401],
    ['GET', '/admin/nothing', bearer(ADMIN_KEY), 404],
    ['GET', '/admin/api-keys', bearer(key), 401],
    ['GET', '/mcp', bearer(token), 405],
  ] as const) {
    const { response, headers: answered } = await service.ask(method, path, undefined, headers)
    const told = [response.status, answered.get('X-RateLimit-Limit'), answered.get('X-RateLimit-Remaining')]
    assert.deepEqual(told, [status, '60', '120'], `${method} ${path}`)
  }
  for (const [path, headers] of [
    ['/account/nothing', {}],
    ['/account/nothing', bearer(`${key}0`)],
    ['/account/instances', bearer(token)],
    ['/admin/nothing', bearer('svc_admin_')],
    ['/nothing', bearer(key)],
    [`${base}0/nothing`, bearer(key)],
  ] as const) {
    const { headers: answered } = await service.ask('GET', path, undefined, headers)
    assert.equal(answered.get('X-RateLimit-Limit'), null, path)
  }
})

test('what is exempt is never refused and says nothing of a limit', async () => {
  for (const [path, headers] of [
    ['/health/live', {}],
    ['/health/ready', {}],
    ['/metrics', { Authorization: `Bearer ${METRICS_TOKEN}` }],
    ['/docs', {}],
    ['/version', {}],
    ['/', {}],
    ['/media/c2VhbGVkLWxpbms', {}],
  ] as const)
    for (let sent = 0; sent < 150; sent++) {
      const { response } = await service.ask('GET', path, undefined, headers)
      assert.deepEqual([response.status, response.headers.get('X-RateLimit-Limit')], [200, null], path)
      await response.body?.cancel().catch(() => {})
    }
})
