import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStartLine, type StartLine } from '../../../src/engine/start-line.ts'

function lineOf(count: number): StartLine<number> {
  const line = createStartLine<number>()
  for (let place = 0; place < count; place++) line.enter(place)
  return line
}

function drained(line: StartLine<number>): number[] {
  const order: number[] = []
  while (!line.isEmpty()) order.push(line.next()!)
  return order
}

test('without requests the order is that of entering', () => {
  assert.deepEqual(drained(lineOf(4)), [0, 1, 2, 3])
})

test('starts with a request take turns with the others', () => {
  const line = lineOf(8)
  for (const place of [7, 5, 6, 7]) line.moveAhead(place, 'a')
  assert.deepEqual(drained(line), [7, 0, 5, 1, 6, 2, 3, 4])
})

test('a workspace with many requests does not hold up another', () => {
  const line = lineOf(12)
  for (const place of [6, 7, 8, 9]) line.moveAhead(place, 'a')
  line.moveAhead(11, 'b')
  assert.deepEqual(drained(line), [6, 0, 11, 1, 7, 2, 8, 3, 9, 4, 5, 10])
})

test('a request never delays its own start', () => {
  const line = lineOf(10)
  for (const place of [5, 6, 7, 8, 9]) line.moveAhead(place, 'a')
  line.moveAhead(0, 'a')
  assert.equal(line.before(0), 1)
  assert.deepEqual(drained(line).slice(0, 4), [5, 0, 6, 1])
})

test('who leaves is not admitted, and a place that is not in the line has no position', () => {
  const line = lineOf(5)
  line.moveAhead(4, 'a')
  for (const place of [4, 1, 4]) line.leave(place)
  line.moveAhead(4, 'a')
  assert.equal(line.before(4), undefined)
  assert.deepEqual(drained(line), [0, 2, 3])
})

test('the foretold position is the one at which a place is admitted', () => {
  // A linear congruential generator makes the random numbers, so that a failure can be repeated.
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  for (let round = 0; round < 200; round++) {
    const count = 1 + random(20)
    const line = lineOf(count)
    for (let step = 0; step < 25; step++) {
      const place = random(count)
      const before = line.before(place)
      const kind = random(5)
      if (kind === 0) line.next()
      else if (kind === 1) line.leave(place)
      else {
        line.moveAhead(place, 'abc'[random(3)]!)
        assert.ok(before === undefined || line.before(place)! <= before)
      }
    }
    const foretold = new Map(Array.from({ length: count }, (_, place) => [place, line.before(place)]))
    for (const [position, place] of drained(line).entries()) assert.equal(foretold.get(place), position)
  }
})
