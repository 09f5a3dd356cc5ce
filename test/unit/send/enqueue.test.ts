/** Every queued operation has a destination its line can name, and a rule only where its declaration leaves something open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints } from '../../../src/features/index.ts'
import { parseInput } from '../../../src/features/input.ts'
import { operations } from '../../../workers/shard/operations/index.ts'
import { fingerprintOf } from '../../../workers/shard/queue/idempotency.ts'
import { enqueued } from '../../../workers/shard/send/enqueue.ts'

const sends = endpoints.filter(({ kind }) => kind === 'send')

test('the shard has a twin for every queued operation', () => {
  for (const { id } of sends) assert.equal(operations.get(id)?.kind, 'send', id)
})

for (const endpoint of sends)
  test(`${endpoint.id} can be queued from each of its examples`, () => {
    for (const { input } of endpoint.examples) {
      const parsed = parseInput(endpoint, input ?? {}) as Record<string, unknown>
      const item = enqueued(endpoint.id, parsed)
      assert.ok(item.phone.length > 0)
      const target = input?.edit_message_id ?? input?.poll_message_id ?? input?.event_message_id
      if (typeof target === 'string') assert.equal(item.referenceMessageId, target)
    }
  })

test('a request is the same whatever the order of its fields, and another when anything differs', () => {
  const print = (input: unknown) => fingerprintOf('send.sendText', input)
  assert.equal(print({ a: 1, b: { c: [1, 2], d: 'x' } }), print({ b: { d: 'x', c: [1, 2] }, a: 1 }))
  const all = [
    { a: 1 },
    { a: '1' },
    { a: [1] },
    { a: [[1]] },
    { a: null },
    { b: 1 },
    { a: Uint8Array.of(1) },
    { a: Uint8Array.of(2) },
  ]
  assert.equal(new Set(all.map(print)).size, all.length)
  assert.notEqual(print({ a: 1 }), fingerprintOf('send.sendLink', { a: 1 }))
  assert.equal(print({ a: 1, b: undefined }), print({ a: 1 }))
})
