/** Tests the numbers of the last hour: the growth of counters, and how the time of a histogram is divided. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeries, quantile } from '../../../src/health/series.ts'
import { createTally } from '../../../src/metrics/tally.ts'

const standing = { rssMb: 1, queue: 2, backlog: 3 }

function service() {
  const time = { now: Date.parse('2026-01-31T12:00:00.000Z') }
  const clock = { now: () => time.now }
  const tally = createTally()
  const series = createSeries(clock, clock)
  return { time, tally, series, look: () => series.add(tally.numbers(), standing) }
}

test('a point has what ten seconds brought, and nothing of before', () => {
  const { time, tally, series, look } = service()
  const deliver = (result: string, seconds: number) => {
    tally.add('svc_webhook_deliveries_total', { type: 'received', result })
    tally.observe('svc_webhook_duration_seconds', { type: 'received' }, seconds)
  }
  for (let count = 0; count < 100; count++) deliver('delivered', 5)
  look()
  assert.deepEqual(series.points(), [])
  for (let count = 0; count < 30; count++) deliver('delivered', 0.02)
  for (let count = 0; count < 10; count++) deliver('retry', 0.02)
  time.now += 10_000
  look()
  const [point] = series.points()
  assert.equal(point!.at, '2026-01-31T12:00:10.000Z')
  assert.deepEqual([point!.deliveries_per_second, point!.failures_per_second], [3, 1])
  assert.ok(point!.webhook_p99_ms! > 10 && point!.webhook_p99_ms! <= 25, String(point!.webhook_p99_ms))
  assert.deepEqual([point!.http_p50_ms, point!.requests_per_second], [null, 0])
  time.now += 10_000
  look()
  assert.deepEqual([series.points()[1]!.deliveries_per_second, series.points()[1]!.webhook_p50_ms], [0, null])
})

test('what the page itself asks is not counted', () => {
  const { time, tally, series, look } = service()
  look()
  for (const route of ['/dashboard/api/health', '/health/ready', '/metrics', '/account/instances'])
    tally.add('svc_http_requests_total', { method: 'GET', route, status: '200' })
  time.now += 10_000
  look()
  assert.equal(series.points()[0]!.requests_per_second, 0.1)
})

test('an hour is kept', () => {
  const { time, series, look } = service()
  for (let count = 0; count < 400; count++) {
    look()
    time.now += 10_000
  }
  assert.equal(series.points().length, 360)
  assert.equal(Date.parse(series.points().at(-1)!.at) - Date.parse(series.points()[0]!.at), 359 * 10_000)
})

test('a part lies within the bucket that holds it; beyond the last bound it is the last bound', () => {
  const tally = createTally()
  for (let count = 0; count < 98; count++) tally.observe('svc_webhook_duration_seconds', { type: 'received' }, 0.003)
  for (let count = 0; count < 2; count++) tally.observe('svc_webhook_duration_seconds', { type: 'delivery' }, 1_000)
  const of = (q: number) => quantile('svc_webhook_duration_seconds', q, new Map(), tally.numbers())
  assert.equal(of(0.5), 3)
  assert.equal(of(0.99), 60_000)
  assert.equal(quantile('svc_webhook_duration_seconds', 0.5, tally.numbers(), tally.numbers()), null)
})
