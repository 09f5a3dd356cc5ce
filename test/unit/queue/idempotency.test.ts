/** Which requests count as the same under one idempotency key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf } from '../../../workers/shard/queue/idempotency.ts'

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
