import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT } from '../../harness/checkout.ts'

interface Cache {
  get(key: unknown): unknown
  set(key: unknown, value: unknown): boolean
  del(key: unknown): number
  flushAll(): void
  close(): void
}
const { BriefCache } = (await import(new URL('scripts/library-cache.mjs', ROOT).href)) as {
  BriefCache: new (options?: { stdTTL?: number }, now?: () => number) => Cache
}

test('what was set is there, the same object, under the text of its key, until it is removed', () => {
  const cache = new BriefCache({ stdTTL: 60 })
  const value = {}
  assert.equal(cache.get('a'), undefined)
  assert.equal(cache.del('a'), 0)
  assert.equal(cache.set('a', value), true)
  cache.set(1, 'one')
  assert.equal(cache.get('a'), value)
  assert.equal(cache.get('1'), 'one')
  assert.equal(cache.del('a'), 1)
  assert.equal(cache.get('a'), undefined)
  cache.flushAll()
  assert.equal(cache.get(1), undefined)
  cache.set('b', 2)
  cache.close()
  assert.equal(cache.get('b'), undefined)
})

test('an entry lives for its time from when it was last set, and what is over makes room', () => {
  let now = 0
  const cache = new BriefCache({ stdTTL: 5 }, () => now)
  cache.set('a', 1)
  cache.set('b', 2)
  now = 4_000
  cache.set('a', 3)
  now = 5_000
  assert.equal(cache.get('b'), undefined)
  assert.equal(cache.get('a'), 3)
  cache.set('c', 4)
  // The expired entry has been removed from the map, and not only hidden.
  assert.equal(cache.del('b'), 0)
  now = 9_000
  assert.equal(cache.get('a'), undefined)
  assert.equal(cache.get('c'), 4)
})

test('without a time it lives for ever', () => {
  let now = 0
  const cache = new BriefCache(undefined, () => now)
  cache.set('a', 1)
  now = Number.MAX_SAFE_INTEGER
  assert.equal(cache.get('a'), 1)
})
