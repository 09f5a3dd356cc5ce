/** Every commit of an instance goes through its own view of the store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstanceStore } from '../../../workers/shard/instance-store.ts'
import { INSTANCE, tempStore } from '../storage/fixtures.ts'

const key = `i:${INSTANCE}:thing`
const bytes = (text: string) => Buffer.from(text)

test('a guard that refuses rejects, and nothing of the batch is written', async (t) => {
  const store = createInstanceStore(await tempStore(t))
  assert.equal(await store.commit({ ops: [[key, bytes('mine')]] }), true)
  const guard = { key, equals: bytes('what was there before') }
  await assert.rejects(store.commit({ guard, ops: [[key, bytes('too late')]] }), { code: 'engine_unavailable' })
  assert.equal(Buffer.from((await store.get(key))!).toString(), 'mine')
})

test('a view that is closed has finished what was under way, refuses what comes after, and leaves the store open', async (t) => {
  const whole = await tempStore(t)
  const store = createInstanceStore(whole)
  const underWay = store.commit({ ops: [[key, bytes('in time')]] })
  await store.close()
  assert.equal(await underWay, true)
  await assert.rejects(store.commit({ ops: [[key, bytes('after the end')]] }), { code: 'engine_unavailable' })
  assert.equal(Buffer.from((await store.get(key))!).toString(), 'in time')
  assert.equal(await whole.commit({ ops: [[key, null]] }), true)
})
