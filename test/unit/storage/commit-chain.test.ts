import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { type Ahead, createCommitChain } from '../../../src/storage/commit-chain.ts'
import type { Batch, Op } from '../../../src/storage/contract.ts'
import { tempStore } from './fixtures.ts'

const op = (key: string, value: string | null = key): Op => [key, value === null ? null : Buffer.from(value)]

/** Opens a store in which each commit waits until the test lets it continue. */
async function bench(t: TestContext) {
  const disk = await tempStore(t)
  const waiting: ((error?: Error) => void)[] = []
  const b = {
    disk,
    batches: [] as string[][],
    ahead: new Map() as Ahead,
    async next(error?: Error) {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
      waiting.shift()!(error)
    },
  }
  const commit = async (batch: Batch) => {
    b.batches.push(batch.ops.map(([key]) => key))
    await new Promise<void>((resolve, reject) => waiting.push((error) => (error ? reject(error) : resolve())))
    return await disk.commit(batch)
  }
  return { ...b, chain: createCommitChain({ commit }, b.ahead) }
}

test('what is added while a commit is written goes together into the next one, in order, each key once', async (t) => {
  const { chain, batches, next, disk } = await bench(t)
  const done: string[] = []
  const add = (...ops: Op[]) => chain.add(ops).then(() => done.push(ops[0]![0]))
  const first = add(op('a'))
  await Promise.resolve()
  const others = [add(op('b'), op('key', 'older')), add(op('c'), op('key', 'newer'))]
  await next()
  await first
  assert.deepEqual(done, ['a'])
  await next()
  await Promise.all(others)
  assert.deepEqual(batches, [['a'], ['b', 'key', 'c']])
  assert.deepEqual(done, ['a', 'b', 'c'])
  assert.equal(Buffer.from((await disk.get('key'))!).toString(), 'newer')
  await chain.settled()
})

test('a failure is that of everything behind it, for good, and nothing behind it is written', async (t) => {
  const { chain, batches, next, disk, ahead } = await bench(t)
  const first = chain.add([op('a')])
  await Promise.resolve()
  const second = chain.add([op('b')])
  const [settled, full] = [chain.settled(), new Error('no space left on device')]
  await next(full)
  for (const each of [first, second, settled, chain.add([op('c')]), chain.settled()]) await assert.rejects(each, full)
  assert.deepEqual(batches, [['a']])
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(disk.get)), [undefined, undefined, undefined])
  assert.equal(ahead.size, 0)
})

test('its newest values are known until they are on disk', async (t) => {
  const { chain, next, ahead } = await bench(t)
  const known = (key: string) => ahead.get(key)?.value && Buffer.from(ahead.get(key)!.value!).toString()
  const first = chain.add([op('key', 'older'), op('gone', null)])
  await Promise.resolve()
  const second = chain.add([op('key', 'newer')])
  assert.deepEqual([known('key'), ahead.get('gone')?.value], ['newer', null])
  await next()
  await first
  assert.deepEqual([known('key'), ahead.has('gone')], ['newer', false])
  await next()
  await second
  assert.equal(ahead.size, 0)
})

test('as much waits as may, and no more', async (t) => {
  const { chain, next } = await bench(t)
  const first = chain.add([op('a')])
  await Promise.resolve()
  const rest = Array.from({ length: 32 }, (_, index) => chain.add([op(`b${index}`)]))
  let hasRoom = false
  const room = chain.room().then(() => {
    hasRoom = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(hasRoom, false)
  await next()
  await first
  await room
  await next()
  await Promise.all(rest)
})

test('a closed one takes nothing more, and writes what it has', async (t) => {
  const { chain, batches, next } = await bench(t)
  const first = chain.add([op('a')])
  chain.close()
  await assert.rejects(chain.add([op('b')]), /closed/)
  await next()
  await first
  await chain.settled()
  assert.deepEqual(batches, [['a']])
})

test('a disk with room for one but not for all takes them one by one, up to the first that it does not take', async (t) => {
  const { chain, batches, next, disk, ahead } = await bench(t)
  const full = () => new StorageFailure('the disk is full', { isFull: true })
  const all = Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => chain.add([op(key), op('last', key)])))
  await next(full())
  await next()
  await next()
  await next(full())
  assert.deepEqual(
    (await all).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  )
  assert.deepEqual(batches, [
    ['a', 'last', 'b', 'c', 'd'],
    ['a', 'last'],
    ['b', 'last'],
    ['c', 'last'],
  ])
  assert.equal(Buffer.from((await disk.get('last'))!).toString(), 'b')
  assert.equal(ahead.size, 0)
  await assert.rejects(chain.add([op('e')]), StorageFailure)
})
