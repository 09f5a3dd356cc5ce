import assert from 'node:assert/strict'
import { test } from 'node:test'
import { previewOf } from '../../../workers/shard/queue/item.ts'
import { drawWait, turnAt } from '../../../workers/shard/queue/line/pacing.ts'

const delays = { delay_message_min_ms: 1_000, delay_message_max_ms: 3_000 }
const turn = { arrivedAt: 50_000, delayMessage: null, drawnMs: 1_500, previousDoneAt: 60_000, connectedAt: 0 }

test('the wait is drawn between both ends, ends included', () => {
  assert.equal(
    drawWait(delays, () => 0),
    1_000,
  )
  assert.equal(
    drawWait(delays, () => 1 - Number.EPSILON),
    3_000,
  )
  assert.equal(
    drawWait({ delay_message_min_ms: 0, delay_message_max_ms: 0 }, () => 0.9),
    0,
  )
})

test('every item waits its interval, from its arrival or from the end of the one before, whichever is later', () => {
  assert.equal(turnAt(turn), 61_500)
  assert.equal(turnAt({ ...turn, previousDoneAt: null }), 51_500)
  assert.equal(turnAt({ ...turn, arrivedAt: 70_000 }), 71_500)
  assert.equal(turnAt({ ...turn, arrivedAt: 70_000, drawnMs: 0 }), 70_000)
})

test('an interval the item asks for replaces the drawn one', () => {
  assert.equal(turnAt({ ...turn, delayMessage: 5 }), 65_000)
  assert.equal(turnAt({ ...turn, delayMessage: 0 }), 60_000)
  assert.equal(turnAt({ ...turn, delayMessage: 5, previousDoneAt: null }), 55_000)
})

test('nothing leaves in the first 2 s after connected', () => {
  assert.equal(turnAt({ ...turn, connectedAt: 61_000 }), 63_000)
  assert.equal(turnAt({ ...turn, connectedAt: 61_000, delayMessage: 15 }), 75_000)
})

test('a preview is the first 120 whole characters', () => {
  assert.equal(previewOf(null), null)
  assert.equal(previewOf('x'.repeat(500)), 'x'.repeat(120))
  assert.equal(previewOf('😀'.repeat(200)), '😀'.repeat(120))
})
