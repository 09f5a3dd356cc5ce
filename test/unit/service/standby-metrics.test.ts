import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createTally, keyOf } from '../../../src/metrics/tally.ts'
import { listen } from '../../../src/serve.ts'
import { createStandbyMetrics } from '../../../src/service/standby-metrics.ts'
import { parse, total } from '../../harness/prometheus.ts'

const TOKEN = 'a-token-of-the-operator'
const GUESSES = 30
const tally = createTally()
tally.add('svc_forwards_total', { result: 'answered' })
const server = await listen({ host: '127.0.0.1', port: 0 })
after(() => server.close())

async function scrape(headers: Record<string, string> = {}, method = 'GET') {
  const asked = request(`${server.url}/metrics`, { method, agent: false, headers }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

test('a standby shows what it passed on, its process, and that it stands by', async () => {
  assert.equal((await scrape()).status, 503)
  server.metricsWith(createStandbyMetrics({ metricsToken: null, trustedProxies: [] }, tally))
  const { status, headers, body } = await scrape()
  const families = parse(body)
  assert.equal(status, 200)
  assert.match(headers['x-request-id'] as string, /^\w+$/)
  assert.deepEqual([total(families, 'svc_forwards_total', { result: 'answered' }), total(families, 'svc_standing_by')], [1, 1])
  assert.ok(total(families, 'process_resident_memory_bytes') > 0)
  // The standby leaves these metrics out. If one address leads to both services, a zero would look like a restart of
  // the active service.
  for (const name of ['svc_standbys', 'svc_instances', 'svc_restrictions_total', 'svc_inbound_stalled_total'])
    assert.deepEqual(families.get(name)?.samples ?? [], [], name)
  assert.equal((await scrape({}, 'DELETE')).status, 503)
})

test('callers of other networks get no metrics of a standby', async () => {
  assert.equal((await scrape({ host: 'gw.example' })).status, 404)
  assert.equal((await scrape({ 'x-forwarded-for': '203.0.113.7' })).status, 404)
})

test('a token that is set is required, and guesses are limited', async () => {
  server.metricsWith(createStandbyMetrics({ metricsToken: TOKEN, trustedProxies: [] }, tally))
  const withToken = () => scrape({ authorization: `Bearer ${TOKEN}` })
  assert.deepEqual([(await scrape()).status, (await withToken()).status], [401, 200])
  for (let at = 0; at < GUESSES; at++) await scrape({ authorization: 'Bearer wrong' })
  assert.equal((await withToken()).status, 429)
  assert.equal(tally.numbers().get(keyOf('svc_rate_limited_total', { scope: 'credential' })), 2)
})
