import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import type { InstanceWork } from '../../../src/domain/readings.ts'
import { createUsageHistory } from '../../../src/health/usage-history.ts'

const START = Date.parse('2026-01-31T00:00:00.000Z')

const work = (sent: number, change: Partial<InstanceWork> = {}): InstanceWork => ({
  since: START,
  cpuMs: sent * 2,
  sent,
  received: 0,
  reconnects: 0,
  lastSentAt: null,
  lastReceivedAt: null,
  heldBytes: 0,
  ...change,
})

/** Returns the history of an instance that sends one message per second. Its usage is reported every ten seconds. */
function steady(until: number) {
  const history = createUsageHistory()
  for (let at = 0; at <= until; at += 10 * SECOND) history.add('a', work(at / SECOND), START + at)
  return history
}

test('each window has what was done within it', () => {
  const history = steady(2 * DAY)
  for (const [window, ms, step] of [
    ['minute', MINUTE, 10 * SECOND],
    ['hour', HOUR, 5 * MINUTE],
    ['day', DAY, HOUR],
  ] as const) {
    const { sent, cpuMs, since, spanMs } = history.within('a', window)!
    assert.ok(spanMs <= ms && spanMs > ms - step, `${window}: ${spanMs}`)
    assert.equal(sent, spanMs / SECOND, window)
    assert.equal(cpuMs, 2 * sent, window)
    assert.equal(since, START + 2 * DAY - spanMs, window)
  }
})

test('an instance that is younger than the window counts from its own start', () => {
  const history = createUsageHistory()
  history.add('a', work(40, { since: START + 3 * SECOND }), START + 10 * SECOND)
  assert.deepEqual(history.within('a', 'hour'), {
    cpuMs: 80,
    sent: 40,
    received: 0,
    reconnects: 0,
    since: START + 3 * SECOND,
    spanMs: 7 * SECOND,
  })
  assert.equal(history.within('b', 'hour'), undefined)
})

// At its first report, the new thread may already have counted more than the old thread had at its last report.
test('the counts of the next thread are added to those of the thread before it', () => {
  const history = createUsageHistory()
  history.add('a', work(5), START + 10 * SECOND)
  history.add('a', work(7, { since: START + 11 * SECOND }), START + 20 * SECOND)
  history.add('a', work(9, { since: START + 11 * SECOND }), START + 30 * SECOND)
  assert.equal(history.within('a', 'hour')!.sent, 14)
})

test('what was done before the first report and before the window is not in the window', () => {
  const history = createUsageHistory()
  history.add('a', work(1_000), START + 10 * MINUTE)
  assert.equal(history.within('a', 'minute')!.sent, 0)
  assert.equal(history.within('a', 'hour')!.sent, 1_000)
})

test('an instance that no longer exists is forgotten', () => {
  const history = steady(MINUTE)
  history.keep((instance) => instance !== 'a')
  assert.equal(history.within('a', 'day'), undefined)
  assert.equal(history.last('a'), undefined)
})
