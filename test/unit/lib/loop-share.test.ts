import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoopShare } from '../../../src/lib/loop-share.ts'

/**
 * Does pieces of work that take 1 ms each on a simulated clock. `turns` has the pieces of each turn of the event loop.
 */
function worked(ms: number, least = 1) {
  const clock = { now: 0 }
  const share = createLoopShare({ ms, least }, () => clock.now)
  const turns: string[][] = [[]]
  let isOver = false
  const turned = () => {
    if (isOver) return
    turns.push([])
    setImmediate(turned)
  }
  setImmediate(turned)
  return {
    async piece(name: string) {
      await share()
      // The time of asynchronous parts counts for the work that started these parts.
      for (let step = 0; step < 3; step++) await Promise.resolve()
      clock.now += 1
      turns.at(-1)!.push(name)
    },
    end() {
      isOver = true
      return turns.filter((turn) => turn.length > 0)
    },
  }
}

test('a piece begins behind the one before, and what fits into a turn at once', async () => {
  let now = 0
  const share = createLoopShare({ ms: 2 }, () => now)
  const isOver = () => new Promise<void>((resolve) => process.nextTick(resolve))
  assert.equal(share(), undefined)
  const second = share()
  assert.notEqual(second, undefined)
  await second
  await isOver()
  now = 1
  assert.equal(share(), undefined)
  await isOver()
  now = 2
  assert.notEqual(share(), undefined)
})

test('the rest waits for the next turns, first come first served, and others have theirs in between', async () => {
  const { piece, end } = worked(2)
  await Promise.all(
    [1, 2, 3].map(async (number) => {
      for (const letter of ['a', 'b', 'c']) await piece(`${letter}${number}`)
    }),
  )
  const turns = end()
  assert.deepEqual(turns.flat(), ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'])
  for (const turn of turns) assert.ok(turn.length <= 2, JSON.stringify(turns))
})

test('a turn without work gives the next one its whole share again', async () => {
  const { piece, end } = worked(1)
  await piece('first')
  await new Promise((resolve) => setTimeout(resolve, 5))
  await piece('second')
  assert.deepEqual(end(), [['first'], ['second']])
})

test('so many pieces are begun in a turn, however long they take', async () => {
  const { piece, end } = worked(1, 3)
  await Promise.all(['a', 'b', 'c', 'd'].map(piece))
  assert.deepEqual(end(), [['a', 'b', 'c'], ['d']])
})
