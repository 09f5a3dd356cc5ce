import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnswerRoom } from '../../../src/peer/engine/answer-room.ts'

function world() {
  const room = createAnswerRoom(100, 5)
  const entered: string[] = []
  return {
    entered,
    enter(name: string, bytes: number) {
      const place = room.enter(bytes)
      void place.entered.then(() => entered.push(name))
      return place.leave
    },
  }
}
const settle = () => new Promise(setImmediate)

test('answers for which there is no room wait, in order, and a long one keeps short ones from passing it', async () => {
  const { enter, entered } = world()
  const first = enter('first', 60)
  const second = enter('second', 50)
  enter('third', 10)
  await settle()
  assert.deepEqual(entered, ['first'])
  first()
  await settle()
  assert.deepEqual(entered, ['first', 'second', 'third'])
  second()
  enter('fourth', 90)
  await settle()
  assert.equal(entered.at(-1), 'fourth')
})

test('an answer that is longer than the whole room is read alone, a short one at once, and one whose connection ended makes room', async () => {
  const { enter, entered } = world()
  const long = enter('long', 1_000)
  const gone = enter('gone', 100)
  enter('last', 6)
  enter('short', 5)
  await settle()
  assert.deepEqual(entered, ['long', 'short'])
  gone()
  await settle()
  assert.deepEqual(entered, ['long', 'short'])
  long()
  await settle()
  assert.deepEqual(entered, ['long', 'short', 'last'])
})
