import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CalendarEvent } from '../../../src/features/send/events.ts'

const takes = (date_time: string) => CalendarEvent.safeParse({ name: 'Planning', date_time }).success

test('a date and time is one that exists, with its offset', () => {
  for (const right of ['2026-03-02T14:00Z', '2026-03-02T14:00:00.123-03:00', '2024-02-29T23:59:59Z'])
    assert.ok(takes(right), right)
  for (const wrong of [
    '2026-02-30T14:00:00Z',
    '2025-02-29T14:00:00Z',
    '2026-03-02T24:01:00Z',
    '2026-03-02T14:00:00',
    '2026-03-02',
  ])
    assert.ok(!takes(wrong), wrong)
})
