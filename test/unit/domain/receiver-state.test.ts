import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineStep } from '../../../src/domain/dashboard.ts'
import { receiverState } from '../../../src/domain/receiver-state.ts'
import type { LogStatus } from '../../../src/domain/webhook-log.ts'

const at = '2026-01-31T12:00:00.000Z'
const event = (event_id: string, status: LogStatus): TimelineStep => ({
  kind: 'event',
  at,
  event_id,
  type: 'delivery',
  status,
  next_attempt_at: null,
})
const attempt = (event_id: string, code: number): TimelineStep => ({
  kind: 'webhook',
  at,
  event_id,
  type: 'delivery',
  attempt: 1,
  code,
  error: code === 200 ? null : `status ${code}`,
  duration_ms: 5,
  receiver_answer: null,
})

test('an event that was refused is not shown like one that was never tried', () => {
  assert.equal(receiverState([]), 'none')
  assert.equal(receiverState([event('a', 'pending')]), 'wait')
  assert.equal(receiverState([event('a', 'pending'), attempt('a', 500)]), 'refused')
  assert.equal(receiverState([event('a', 'delivered'), attempt('a', 500), attempt('a', 200)]), 'good')
  assert.equal(receiverState([event('a', 'delivered'), attempt('a', 500), event('b', 'pending')]), 'wait')
  assert.equal(receiverState([event('a', 'failed'), event('b', 'delivered')]), 'bad')
})
