import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTally } from '../../../src/metrics/tally.ts'
import { createInstanceUsage } from '../../../workers/shard/usage/instance-usage.ts'

test('messages and reconnections are counted for the instance and for the thread', () => {
  let now = 1_000
  const shared = createTally()
  const one = createInstanceUsage(shared, { now: () => now })
  const other = createInstanceUsage(shared, { now: () => now })
  now = 2_000
  one.tally.add('svc_queue_sent_total', { type: 'send.sendText' })
  other.tally.add('svc_queue_sent_total', { type: 'send.sendText' })
  now = 3_000
  one.tally.add('svc_inbound_stanzas_total', { kind: 'message' })
  one.tally.add('svc_inbound_stanzas_total', { kind: 'message' })
  one.tally.add('svc_messages_received_total', {})
  one.tally.add('svc_engine_reconnects_total', { reason: 'none' })
  one.tally.add('svc_engine_reconnects_total', { reason: 'connection_lost' })
  one.tally.add('svc_events_total', { type: 'received' })
  assert.deepEqual(one.work(), {
    since: 1_000,
    sent: 1,
    received: 1,
    reconnects: 1,
    lastSentAt: 2_000,
    lastReceivedAt: 3_000,
  })
  assert.equal(other.work().received, 0)
  assert.equal(shared.numbers().get('svc_queue_sent_total|send.sendText'), 2)
  assert.equal(shared.numbers().get('svc_inbound_stanzas_total|message'), 2)
})
