import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownedBytes } from '../../../src/lib/owned-bytes.ts'
import { createKeyCache } from '../../../workers/shard/keys/key-store.ts'

test('a view is copied out of the memory that it would keep, and bytes with memory of their own are not', () => {
  const pooled = Buffer.from('a few bytes of the pool')
  assert.ok(pooled.buffer.byteLength > pooled.byteLength)
  const owned = ownedBytes(pooled)
  assert.deepEqual([...owned], [...pooled])
  assert.equal(owned.buffer.byteLength, pooled.byteLength)
  assert.equal(ownedBytes(owned), owned)
})

// An earlier bug: records that were read from the disk after a start used eight times the memory that the cache counted
// for them.
test('a Signal record that is remembered keeps its own bytes only', async () => {
  const cache = createKeyCache({ maxEntries: 10 })
  cache.publish('written', Buffer.from('record'))
  await cache.read('read', async () => Buffer.from('record'))
  for (const key of ['written', 'read']) {
    const found = await cache.read(key, () => Promise.reject(new Error('it is remembered')))
    assert.equal(found?.buffer.byteLength, 'record'.length)
  }
})
