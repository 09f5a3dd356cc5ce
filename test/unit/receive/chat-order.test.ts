import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChatOrder } from '../../../workers/shard/receive/chat-order.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('in one chat each waits for those before it, in another for nobody', async () => {
  const order = createChatOrder(Date.now)
  const [first, second, third, elsewhere] = ['a', 'a', 'a', 'b'].map(order.enter)
  const told: string[] = []
  for (const [name, entry] of Object.entries({ third, second, first, elsewhere })) void entry!.turn().then(() => told.push(name))
  await settle()
  assert.deepEqual(told.sort(), ['elsewhere', 'first'])
  first!.done()
  await settle()
  assert.deepEqual(told, ['elsewhere', 'first', 'second'])
  second!.done()
  second!.done()
  await settle()
  assert.equal(told.at(-1), 'third')
})

test('one that nobody hears of again holds up the next for a while only, and the end of the session nobody', async () => {
  const order = createChatOrder(Date.now, 20)
  order.enter('a')
  await order.enter('a').turn()
  const patient = createChatOrder(Date.now, 60_000)
  patient.enter('a')
  const waiting = patient.enter('a').turn()
  patient.end()
  await waiting
})

test('what has no place waits for those that are there, in several chats, and nobody waits for it', async () => {
  const order = createChatOrder(Date.now)
  const [here, there] = [order.enter('a'), order.enter('b')]
  const before = order.before(['a', 'b', 'a', 'c'])
  const later = order.enter('a')
  const told: string[] = []
  void before!().then(() => told.push('before'))
  here.done()
  await settle()
  assert.deepEqual(told, [])
  there.done()
  await settle()
  assert.deepEqual(told, ['before'])
  await later.turn()
  assert.equal(order.before(['nobody']), undefined)
})
