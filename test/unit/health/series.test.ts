import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withGaps } from '../../../src/dashboard/pages/health/slots.ts'
import { newTimes, quantile } from '../../../src/health/sample.ts'
import { createSeries, type Rings } from '../../../src/health/series.ts'
import { chartsOf, loadRings, oldPages, pagesSince } from '../../../src/health/series-records.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { recordingLog, tempStore } from '../storage/fixtures.ts'

const standing = { rssMb: 1, queue: 2, backlog: 3 }

function service(stored?: Rings, from = Date.parse('2026-01-31T12:00:00.000Z')) {
  const time = { now: from }
  const clock = { now: () => time.now }
  const tally = createTally()
  const series = createSeries(clock, clock, stored)
  return { time, clock, tally, series, points: () => series.points('hour'), look: () => series.add(tally.numbers(), standing) }
}

test('a point has what ten seconds brought, and nothing of before', () => {
  const { time, tally, points, look } = service()
  const deliver = (result: string, seconds: number) => {
    tally.add('svc_webhook_deliveries_total', { type: 'received', result })
    tally.observe('svc_webhook_duration_seconds', { type: 'received' }, seconds)
  }
  for (let count = 0; count < 100; count++) deliver('delivered', 5)
  look()
  assert.deepEqual(points(), [])
  for (let count = 0; count < 30; count++) deliver('delivered', 0.02)
  for (let count = 0; count < 10; count++) deliver('retry', 0.02)
  time.now += 10_000
  look()
  const [point] = points()
  assert.equal(point!.at, '2026-01-31T12:00:10.000Z')
  assert.deepEqual([point!.deliveries_per_second, point!.failures_per_second], [3, 1])
  assert.ok(point!.webhook_p99_ms! > 10 && point!.webhook_p99_ms! <= 25, String(point!.webhook_p99_ms))
  assert.deepEqual([point!.http_p50_ms, point!.requests_per_second], [null, 0])
  time.now += 10_000
  look()
  assert.deepEqual([points()[1]!.deliveries_per_second, points()[1]!.webhook_p50_ms], [0, null])
})

test('what the page itself asks is not counted', () => {
  const { time, tally, points, look } = service()
  look()
  for (const route of ['/dashboard/api/health', '/health/ready', '/metrics', '/account/instances'])
    tally.add('svc_http_requests_total', { method: 'GET', route, status: '200' })
  time.now += 10_000
  look()
  assert.equal(points()[0]!.requests_per_second, 0.1)
})

test('an hour is kept', () => {
  const { time, points, look } = service()
  for (let count = 0; count < 400; count++) {
    look()
    time.now += 10_000
  }
  assert.equal(points().length, 360)
  assert.equal(Date.parse(points().at(-1)!.at) - Date.parse(points()[0]!.at), 359 * 10_000)
})

test('a part lies within the bucket that holds it; beyond the last bound it is the last bound', () => {
  const tally = createTally()
  for (let count = 0; count < 98; count++) tally.observe('svc_webhook_duration_seconds', { type: 'received' }, 0.003)
  for (let count = 0; count < 2; count++) tally.observe('svc_webhook_duration_seconds', { type: 'delivery' }, 1_000)
  const of = (q: number) => quantile(newTimes('svc_webhook_duration_seconds', new Map(), tally.numbers()), q)
  assert.equal(of(0.5), 3)
  assert.equal(of(0.99), 60_000)
  assert.equal(quantile(newTimes('svc_webhook_duration_seconds', tally.numbers(), tally.numbers()), 0.5), null)
})

test('a day and a week have the same sums and times as the ten seconds in them', () => {
  const { time, tally, series, look } = service()
  look()
  for (let count = 0; count < 720; count++) {
    time.now += 10_000
    tally.add('svc_queue_sent_total', { type: 'send' })
    tally.observe('svc_webhook_duration_seconds', { type: 'received' }, count % 2 === 0 ? 0.004 : 4)
    look()
  }
  const [day, week] = [series.points('day'), series.points('week')]
  assert.deepEqual([day.length, week.length], [25, 3])
  assert.deepEqual([day[5]!.sent_per_second, week[1]!.sent_per_second], [0.1, 0.1])
  assert.deepEqual([week[1]!.webhook_p50_ms, week[1]!.webhook_p99_ms], [5, 4_950])
})

test('the charts are kept over a restart, in a fixed number of small records', async (t) => {
  const store = await tempStore(t)
  const [stored, log] = [new Map<string, Op[1]>(), recordingLog()]
  const before = service()
  before.look()
  let records = 0
  const minutes = 8 * 24 * 60
  for (let minute = 0; minute < minutes; minute++) {
    const writtenAt = before.time.now
    // The chart of the last hour needs every sample. For the earlier days, one sample per minute is enough.
    const turns = minutes - minute < 70 ? 6 : 1
    for (let turn = 0; turn < turns; turn++) {
      before.time.now += 60_000 / turns
      before.look()
    }
    const ops = pagesSince(before.series.samples(), writtenAt)
    records = Math.max(records, ops.length)
    for (const [key, value] of ops) stored.set(key, value)
  }
  await store.commit({ ops: [...stored] })
  assert.ok(records <= 6, `${records} records were written at once`)
  assert.equal(await store.count('chart:'), 61 + 289 + 169)
  for await (const [key, value] of store.range('chart:')) assert.ok(value.length < 2_500, `${key} has ${value.length} bytes`)
  const after = service(await loadRings(store, before.clock, log), before.time.now)
  for (const window of ['hour', 'day', 'week'] as const)
    assert.deepEqual(after.series.points(window), before.series.points(window), window)
  assert.deepEqual(log.lines, [])
  // Samples that are too old, and samples from the future, are not loaded. So nothing is left at either of these times.
  const [late, early] = [before.time.now + 8 * 86_400_000, before.time.now - 30 * 86_400_000]
  for (const now of [late, early])
    assert.deepEqual(await loadRings(store, { now: () => now }, log), { hour: [], day: [], week: [] })
})

test('what was measured while the clock was ahead is dropped once the clock is set back', async (t) => {
  const store = await tempStore(t)
  const { time, clock, series, look, points } = service()
  const minute = (from: number) => {
    for (let turn = 0; turn < 6; turn++) {
      time.now = from + turn * 10_000
      look()
    }
  }
  const [begun, ahead] = [time.now, time.now + 1_800_000]
  look()
  minute(begun + 10_000)
  minute(ahead)
  minute(begun + 70_000)
  const times = points().map(({ at }) => Date.parse(at) - begun)
  assert.deepEqual(
    times,
    Array.from({ length: 12 }, (_, turn) => (turn + 1) * 10_000),
  )
  for (const window of ['day', 'week'] as const) {
    const all = series.points(window).map(({ at }) => Date.parse(at))
    assert.ok(
      all.every((at) => at <= time.now),
      window,
    )
  }
  await store.commit({ ops: pagesSince(series.samples(), begun) })
  const stored = await loadRings(store, clock, recordingLog())
  assert.deepEqual(
    stored.hour.map(({ at }) => at - begun),
    times,
  )
})

test('a chart has a gap where the service did not run, and none where one sample was late', () => {
  const at = (seconds: number) => new Date(Date.parse('2026-01-31T12:00:00.000Z') + seconds * 1_000).toISOString()
  const shown = (seconds: readonly number[], every = 10_000) =>
    withGaps(
      seconds.map((each) => ({ at: at(each) })),
      every,
    ).map(({ at, sample }) => [Date.parse(at) / 1_000 - Date.parse('2026-01-31T12:00:00.000Z') / 1_000, sample !== null])
  assert.deepEqual(shown([1, 11, 31]), [
    [1, true],
    [11, true],
    [31, true],
  ])
  assert.deepEqual(shown([1, 11, 41]), [
    [1, true],
    [11, true],
    [20, false],
    [30, false],
    [41, true],
  ])
  assert.deepEqual(shown([]), [])
  // A slot of five minutes holds 30 samples. So it is not empty if only one sample was late.
  assert.deepEqual(shown([299, 610], 300_000), [
    [299, true],
    [300, false],
    [610, true],
  ])
})

test('two services on one store have charts of their own, and those of a service that is gone are removed', async (t) => {
  const store = await tempStore(t)
  const [first, second] = [service(), service()]
  const DAY = 86_400_000
  const names = [chartsOf('node a'), chartsOf('node/b')] as const
  for (const [index, { time, look, series }] of [first, second].entries()) {
    look()
    for (let turn = 0; turn <= index; turn++) {
      time.now += 10_000
      look()
    }
    await store.commit({ ops: pagesSince(series.samples(), 0, names[index]) })
  }
  const hourOf = async (of: string | undefined) => (await loadRings(store, second.clock, recordingLog(), of)).hour.length
  assert.deepEqual([await hourOf(names[0]), await hourOf(names[1]), await hourOf(undefined)], [1, 2, 0])
  assert.deepEqual(await oldPages(store, second.time.now + 7 * DAY), [])
  await store.commit({ ops: await oldPages(store, second.time.now + 9 * DAY) })
  assert.equal(await store.count(keys.charts), 0)
})
