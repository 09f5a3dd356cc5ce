import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import { orLate } from '../../../src/lib/deadline.ts'
import { createKeyCounts } from '../../../src/lib/key-counts.ts'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'

test('a bounded cache forgets what was used longest ago', () => {
  const cache = boundedCache<string, number>(3)
  for (const [index, name] of ['a', 'b', 'c'].entries()) cache.set(name, index)
  assert.equal(cache.get('a'), 0)
  cache.set('d', 3)
  assert.deepEqual([...cache].map(([key]) => key).sort(), ['a', 'c', 'd'])
})

test('a bounded cache answers before it has anything, and after it was cleared', () => {
  const cache = boundedCache<string, number>(3)
  const isEmpty = () => assert.deepEqual([cache.get('a'), cache.has('a'), [...cache]], [undefined, false, []])
  isEmpty()
  cache.delete('a')
  cache.clear()
  cache.set('a', 1)
  assert.deepEqual([cache.get('a'), cache.has('a'), [...cache]], [1, true, [['a', 1]]])
  cache.delete('a')
  isEmpty()
  cache.set('a', 2)
  cache.clear()
  isEmpty()
})

test('counts are kept per key, and a key counts 0 again when all of it was removed', () => {
  const counts = createKeyCounts()
  for (const key of ['a', 'a', 'b']) counts.add(key)
  assert.deepEqual(['a', 'b', 'c'].map(counts.of), [2, 1, 0])
  counts.remove('a')
  counts.remove('b')
  assert.deepEqual(['a', 'b', 'c'].map(counts.of), [1, 0, 0])
})

test('one at a time per name, others beside it, and a failure holds up nobody', async () => {
  const mutex = createKeyedMutex()
  const order: string[] = []
  let open = () => {}
  const held = mutex.run('a', () => new Promise<void>((resolve) => (open = resolve)).then(() => void order.push('first')))
  const failing = mutex.run('a', async () => {
    order.push('second')
    throw new Error('mine')
  })
  const third = mutex.run('a', async () => void order.push('third'))
  await mutex.run('b', async () => void order.push('beside'))
  assert.deepEqual(order, ['beside'])
  open()
  await Promise.all([held, assert.rejects(failing, /mine/), third])
  assert.deepEqual(order, ['beside', 'first', 'second', 'third'])
})

test('several names at once wait for each of them, hold each of them, and two of these never wait for each other', async () => {
  const mutex = createKeyedMutex()
  const order: string[] = []
  const doing = (what: string) => async () => {
    order.push(`${what} begins`)
    await new Promise(setImmediate)
    order.push(`${what} ends`)
  }
  await Promise.all([
    mutex.run('b', doing('b')),
    mutex.runAll(['a', 'b', 'b', 'c'], doing('one')),
    mutex.runAll(['c', 'b', 'a'], doing('other')),
    mutex.run('c', doing('c')),
  ])
  const pairs = order.flatMap((line) => (line.endsWith('begins') ? [line.split(' ')[0]] : []))
  assert.deepEqual([...pairs].sort(), ['b', 'c', 'one', 'other'])
  for (const many of ['one', 'other'])
    assert.equal(order.indexOf(`${many} ends`), order.indexOf(`${many} begins`) + 1, order.join(', '))
  await assert.rejects(
    mutex.runAll(['a', 'b'], async () => {
      throw new Error('mine')
    }),
    /mine/,
  )
  await mutex.runAll(['a', 'b', 'c'], async () => {})
})

test('idle is when all that was asked for has ended', async () => {
  const mutex = createKeyedMutex()
  let ended = 0
  for (const name of ['a', 'a', 'b']) void mutex.run(name, async () => void ended++)
  await mutex.idle()
  assert.equal(ended, 3)
})

test('work without time left is still asked once; what is late says so, and nobody minds how the work ends', async () => {
  assert.equal(await orLate(Promise.resolve('done'), 0, () => 'late'), 'done')
  assert.equal(await orLate(new Promise(() => {}), -5, () => 'late'), 'late')
  let fail = (_: Error) => {}
  const failing = new Promise<string>((_, reject) => {
    fail = reject
  })
  assert.equal(await orLate(failing, 1, () => 'late'), 'late')
  fail(new Error('later'))
  await assert.rejects(
    orLate(Promise.reject(new Error('at once')), 100, () => 'late'),
    /at once/,
  )
})
