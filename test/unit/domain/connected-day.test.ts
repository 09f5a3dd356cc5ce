import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { lastDay } from '../../../src/domain/connected-day.ts'

const NOW = Date.parse('2026-01-31T12:00:00.000Z')
const ago = (ms: number) => new Date(NOW - ms).toISOString()

test('the bar of a day begins with the state from before it', () => {
  const changes = [
    { at: ago(6 * HOUR), from: 'disconnected', to: 'connected' },
    { at: ago(12 * HOUR), from: 'connected', to: 'disconnected' },
    { at: ago(2 * DAY), from: 'starting', to: 'connected' },
    { at: ago(3 * DAY), from: null, to: 'starting' },
  ] as const
  assert.deepEqual(lastDay(changes, NOW), {
    begins: 'day',
    since: NOW - DAY,
    parts: [
      { from: 0, to: 0.5, status: 'connected' },
      { from: 0.5, to: 0.75, status: 'disconnected' },
      { from: 0.75, to: 1, status: 'connected' },
    ],
  })
  // Older changes are no longer kept, so nothing is known of the time before the oldest change.
  assert.deepEqual(lastDay(changes.slice(0, 1), NOW), {
    begins: 'known',
    since: NOW - 6 * HOUR,
    parts: [{ from: 0, to: 1, status: 'connected' }],
  })
  assert.equal(lastDay([], NOW), undefined)
})

test('a new account is counted from its first connection on', () => {
  const changes = [
    { at: ago(HOUR), from: 'connected', to: 'disconnected' },
    { at: ago(2 * HOUR), from: 'qr', to: 'connected' },
    { at: ago(5 * HOUR), from: null, to: 'qr' },
  ] as const
  assert.deepEqual(lastDay(changes, NOW), {
    begins: 'paired',
    since: NOW - 2 * HOUR,
    parts: [
      { from: 0, to: 0.5, status: 'connected' },
      { from: 0.5, to: 1, status: 'disconnected' },
    ],
  })
})

test('after a logout, an account is counted from the first connection of its new pairing on', () => {
  const changes = [
    { at: ago(HOUR), from: 'qr', to: 'connected' },
    { at: ago(2 * HOUR), from: 'logged_out', to: 'qr' },
    { at: ago(4 * HOUR), from: 'connected', to: 'logged_out' },
    { at: ago(5 * HOUR), from: 'qr', to: 'connected' },
  ] as const
  assert.deepEqual(lastDay(changes, NOW), {
    begins: 'paired',
    since: NOW - HOUR,
    parts: [{ from: 0, to: 1, status: 'connected' }],
  })
  // The former pairing is shown until the instance is paired again.
  const loggedOut = [...changes.slice(2), { at: ago(6 * HOUR), from: null, to: 'qr' }] as const
  assert.deepEqual(lastDay(loggedOut, NOW), {
    begins: 'paired',
    since: NOW - 5 * HOUR,
    parts: [
      { from: 0, to: 0.2, status: 'connected' },
      { from: 0.2, to: 1, status: 'logged_out' },
    ],
  })
})

test('changes that a slow clock has not reached yet are not counted as connected', () => {
  const changes = [
    { at: ago(-20 * MINUTE), from: 'connected', to: 'disconnected' },
    { at: ago(-10 * MINUTE), from: 'qr', to: 'connected' },
    { at: ago(-5 * MINUTE), from: null, to: 'qr' },
  ] as const
  assert.deepEqual(lastDay(changes, NOW), {
    begins: 'paired',
    since: NOW + 10 * MINUTE,
    parts: [{ from: 0, to: 1, status: 'connected' }],
  })
})
