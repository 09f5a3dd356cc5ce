import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readingsOfAnswer } from '../../../src/peer/engine/peer-readings.ts'

test('a reading that another release has made in another form is dropped', () => {
  const numbers = { since: 1, cpuMs: 2, sent: 3, received: 4, reconnects: 0, heldBytes: 5 }
  const work = { ...numbers, lastSentAt: null, lastReceivedAt: 6 }
  const attempts = { delivered: 1, retry: 0, failed: 0, discarded: 0 }
  const reading = { instance: 'i', waiting: 0, backlog: 0, lastInboundAt: null, attempts, refusedSince: null, work }
  const { work: _, ...withoutWork } = reading
  assert.deepEqual(readingsOfAnswer([withoutWork, reading, 5, { ...reading, work: { since: 1 } }]), [reading])
  assert.throws(() => readingsOfAnswer({}))
})
