/** Which requests count as the same under one idempotency key, and by what name that is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer, type Sealer } from '../../../src/storage/seal.ts'
import { createIdempotency, fingerprintOf } from '../../../workers/shard/queue/idempotency.ts'
import { INSTANCE, START, sealer, tempStore } from '../storage/fixtures.ts'

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

// An unkeyed hash of a short key, or of a number and an id, is found by trying: without the key of the instance a name must say nothing.
test('the name of the record of a key is keyed: of another instance it is another', async (t) => {
  const namesUnder = async (of: Sealer) => {
    const store = await tempStore(t)
    const idempotency = createIdempotency({
      instanceId: INSTANCE,
      store,
      sealer: of,
      clock: { now: () => START },
      onError: assert.ifError,
    })
    await idempotency.once('order 1', 'print', async (opsOf) => {
      const made = { svcId: '01JD3V8Q6ZP4M5T7X9K2B0C1DE', messageId: '3EB0EE97803A91FF2C0ED1' }
      await store.commit({ ops: opsOf(made) })
      return made
    })
    const names: string[] = []
    for await (const [name] of store.range('')) names.push(name)
    return names
  }
  const names = await namesUnder(sealer)
  assert.equal(names.length, 1)
  assert.deepEqual(await namesUnder(sealer), names)
  assert.notDeepEqual(await namesUnder(createSealer(Buffer.alloc(32, 9))), names)
})
