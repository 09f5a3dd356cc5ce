import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR } from '../../../src/domain/clock.ts'
import { lastDay } from '../../../src/domain/connected-day.ts'

const NOW = Date.parse('2026-01-31T12:00:00.000Z')
const ago = (ms: number) => new Date(NOW - ms).toISOString()

test('the bar of a day begins with the state from before it, and leaves out what nobody knows', () => {
  const changes = [
    { at: ago(6 * HOUR), to: 'connected' },
    { at: ago(12 * HOUR), to: 'disconnected' },
    { at: ago(2 * DAY), to: 'connected' },
    { at: ago(3 * DAY), to: 'starting' },
  ] as const
  assert.deepEqual(lastDay(changes, NOW), [
    { from: 0, to: 0.5, status: 'connected' },
    { from: 0.5, to: 0.75, status: 'disconnected' },
    { from: 0.75, to: 1, status: 'connected' },
  ])
  assert.deepEqual(lastDay(changes.slice(0, 1), NOW), [{ from: 0.75, to: 1, status: 'connected' }])
  assert.deepEqual(lastDay([], NOW), [])
})
