import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Batch, Op } from '../../../src/storage/contract.ts'
import { createInstanceStore } from '../../../workers/shard/context/instance-store.ts'
import { INSTANCE, tempStore } from '../storage/fixtures.ts'

const key = `i:${INSTANCE}:thing`
const bytes = (text: string) => Buffer.from(text)

test('a guard that refuses rejects, and nothing of the batch is written', async (t) => {
  const store = createInstanceStore(await tempStore(t), () => {})
  assert.equal(await store.commit({ ops: [[key, bytes('mine')]] }), true)
  const guard = { key, equals: bytes('what was there before') }
  await assert.rejects(store.commit({ guard, ops: [[key, bytes('too late')]] }), { code: 'engine_unavailable' })
  assert.equal(Buffer.from((await store.get(key))!).toString(), 'mine')
})

test('a view that is closed has finished what was under way, refuses what comes after, and leaves the store open', async (t) => {
  const whole = await tempStore(t)
  const store = createInstanceStore(whole, () => {})
  const underWay = store.commit({ ops: [[key, bytes('in time')]] })
  await store.close()
  assert.equal(await underWay, true)
  await assert.rejects(store.commit({ ops: [[key, bytes('after the end')]] }), { code: 'engine_unavailable' })
  assert.equal(Buffer.from((await store.get(key))!).toString(), 'in time')
  assert.equal(await whole.commit({ ops: [[key, null]] }), true)
})

test('what is ahead in memory goes with every commit, and comes back when one fails', async (t) => {
  const whole = await tempStore(t)
  let isFull = false
  const failing = { ...whole, commit: (batch: Batch) => (isFull ? Promise.reject(new Error('full')) : whole.commit(batch)) }
  const store = createInstanceStore(failing, () => {})
  const ahead = `${key}:ahead`
  let changes: Op[] = [[ahead, bytes('new')]]
  store.carries({
    take: () => changes.splice(0),
    settled(ops, isWritten) {
      if (!isWritten) changes = [...ops]
    },
  })
  isFull = true
  await assert.rejects(store.commit({ ops: [[key, bytes('mine')]] }))
  await assert.rejects(store.commit({ ops: [[key, bytes('mine')]] }))
  assert.equal(changes.length, 1)
  isFull = false
  await store.commit({ ops: [[key, bytes('mine')]] })
  assert.deepEqual(changes, [])
  assert.equal(Buffer.from((await store.get(ahead))!).toString(), 'new')
  changes = [[ahead, null]]
  await assert.rejects(store.commit({ guard: { key, equals: null }, ops: [] }), { code: 'engine_unavailable' })
  assert.equal(changes.length, 1)
})

test("what is added to a chain is read at once, and is nobody's if it cannot be written", async (t) => {
  const whole = await tempStore(t)
  const store = createInstanceStore(whole, () => {})
  const chain = store.chain()
  const written = chain.add([[key, bytes('new')]])
  assert.equal(Buffer.from((await store.get(key))!).toString(), 'new')
  assert.equal(await whole.get(key), undefined)
  await written
  assert.equal(Buffer.from((await whole.get(key))!).toString(), 'new')
  await store.close()
  await assert.rejects(chain.add([[key, null]]), { code: 'engine_unavailable' })
  assert.equal(Buffer.from((await store.get(key))!).toString(), 'new')
})

// An earlier bug: the commit of a message also writes other waiting records, and failed if the disk had space for the
// message alone.
test('where the disk has no room for what rides along, the batch is written without it', async (t) => {
  const whole = await tempStore(t)
  const narrow = {
    ...whole,
    async commit(batch: Batch) {
      if (batch.ops.length > 1) throw new StorageFailure('no room', { isFull: true })
      return whole.commit(batch)
    },
  }
  const store = createInstanceStore(narrow, () => {})
  const ahead: Op = [`${key}:ahead`, bytes('new')]
  const over: boolean[] = []
  store.carries({ take: () => [ahead], settled: (_, isWritten) => over.push(isWritten) })
  assert.equal(await store.commit({ ops: [[key, bytes('mine')]] }), true)
  assert.equal(Buffer.from((await store.get(key))!).toString(), 'mine')
  assert.equal(await store.get(ahead[0]), undefined)
  assert.deepEqual(over, [false])
  const failing = createInstanceStore({ ...whole, commit: () => Promise.reject(new StorageFailure('broken')) }, () => {})
  failing.carries({ take: () => [ahead], settled() {} })
  await assert.rejects(failing.commit({ ops: [[key, bytes('mine')]] }), /broken/, 'no other failure is tried again')
})
