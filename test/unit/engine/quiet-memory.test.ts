import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuietMemory, type Reading } from '../../../src/engine/quiet-memory.ts'

const MB = 2 ** 20
const busy = (mb: number): Reading => ({ busy: 0.6, bytes: mb * MB })
const quiet = (mb: number): Reading => ({ busy: 0.03, bytes: mb * MB })
/**
 * Returns the indexes of the readings at which a collection is due. `left` is the number of MB that are in use after
 * each collection.
 */
function due(readings: readonly Reading[], left = 40): number[] {
  const rule = createQuietMemory(40 * MB)
  return readings.flatMap((reading, index) => {
    if (!rule.isDue(reading)) return []
    rule.collected(left * MB)
    return [index]
  })
}

test('after a load it is due at the fourth quiet check, once', () => {
  assert.deepEqual(due([busy(90), busy(120), quiet(120), quiet(120), quiet(118), quiet(118), ...Array(9).fill(quiet(41))]), [5])
})

test('work in between begins the minute anew', () => {
  const minute = [quiet(120), quiet(120), quiet(120)]
  assert.deepEqual(due([...minute, busy(120), ...minute, busy(120), ...minute]), [])
})

test('without growth there is none, however long it is quiet', () => {
  assert.deepEqual(due([busy(47), ...Array(50).fill(quiet(47))]), [])
})

test('a collection that freed little is not repeated before there was work again', () => {
  assert.deepEqual(due([busy(120), ...Array(50).fill(quiet(140))], 118), [4])
  assert.deepEqual(due([busy(120), ...Array(4).fill(quiet(120)), busy(130), ...Array(9).fill(quiet(130))], 118), [4, 9])
})

test('growth without work makes none due', () => {
  assert.deepEqual(due(Array.from({ length: 50 }, (_, index) => quiet(40 + index * 4))), [])
})

test('growth counts from the least that the thread held since the last one', () => {
  assert.deepEqual(due([busy(120), quiet(36), ...Array(9).fill(quiet(43))]), [])
  assert.deepEqual(due([busy(120), ...Array(4).fill(quiet(120)), busy(90), ...Array(9).fill(quiet(98))], 118), [4, 9])
})
