/**
 * Tests the bounded clock. It follows a large jump ahead of the machine's clock only if the network reports the same
 * time at a login, if the machine was suspended, or after an hour without contradiction. It must not stay ahead for
 * longer than the jump lasted.
 */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { BELIEVED_AFTER, type BoundedClock, createBoundedClock, MOST_STEP } from '../../../src/domain/bounded-clock.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'

const START = Date.UTC(2026, 0, 31, 12)

let wall: number
let steady: number
let suspended: number
let changes: number[]
let clock: BoundedClock
beforeEach(() => {
  wall = START
  steady = 5_000
  suspended = 0
  changes = []
  clock = createBoundedClock({
    wall: { now: () => wall },
    steady: { now: () => steady },
    uptime: () => 70_000 + steady + suspended,
    onChange: (aheadMs) => changes.push(aheadMs),
  })
})

function pass(ms: number) {
  wall += ms
  steady += ms
}

test('a jump of a month is not followed, and time goes on as it was', () => {
  pass(MINUTE)
  wall += 30 * DAY
  assert.equal(clock.now(), START + MINUTE)
  assert.equal(clock.ahead(), 30 * DAY)
  pass(SECOND)
  assert.equal(clock.now(), START + MINUTE + SECOND)
  wall -= 30 * DAY
  assert.equal(clock.now(), wall)
  assert.equal(clock.ahead(), 0)
  assert.deepEqual(changes, [30 * DAY, 0])
})

test('small steps, and steps back, are followed', () => {
  wall += MOST_STEP
  assert.equal(clock.now(), wall)
  wall -= 40 * DAY
  assert.equal(clock.now(), wall)
  assert.deepEqual(changes, [])
})

test('a jump that nobody contradicts is followed after an hour', () => {
  wall += 30 * DAY
  clock.now()
  pass(BELIEVED_AFTER - 1)
  assert.equal(clock.ahead(), 30 * DAY)
  pass(1)
  assert.equal(clock.now(), wall)
  assert.deepEqual(changes, [30 * DAY, 0])
})

test('a second jump, while the first is still in doubt, has an hour of its own', () => {
  wall += 30 * DAY
  clock.now()
  pass(BELIEVED_AFTER - MINUTE)
  wall += 30 * DAY
  assert.equal(clock.ahead(), 60 * DAY)
  pass(2 * MINUTE)
  assert.equal(clock.ahead(), 60 * DAY)
  pass(BELIEVED_AFTER)
  assert.equal(clock.now(), wall)
  assert.deepEqual(changes, [30 * DAY, 60 * DAY, 0])
})

test('a clock that came back part of the way from a jump is in doubt for another hour', () => {
  wall += 30 * DAY
  clock.now()
  pass(BELIEVED_AFTER - MINUTE)
  wall -= 20 * DAY
  assert.equal(clock.ahead(), 10 * DAY)
  pass(2 * MINUTE)
  assert.equal(clock.ahead(), 10 * DAY)
})

test('a contradicted clock is not believed because it jumped further', () => {
  wall += 30 * DAY
  clock.now()
  clock.learned(wall - 30 * DAY, false)
  wall += 30 * DAY
  clock.now()
  pass(3 * HOUR)
  assert.equal(clock.ahead(), 60 * DAY)
})

test('a suspension during a doubt is no second jump', () => {
  wall += 30 * DAY
  clock.now()
  wall += 8 * HOUR
  suspended += 8 * HOUR
  assert.equal(clock.now(), START + 8 * HOUR)
  pass(BELIEVED_AFTER)
  assert.equal(clock.now(), wall)
  assert.deepEqual(changes, [30 * DAY, 0])
})

test('the network contradicts a jump for as long as it lasts', () => {
  wall += 30 * DAY
  clock.now()
  clock.learned(wall - 30 * DAY, false)
  pass(3 * HOUR)
  assert.equal(clock.now(), wall - 30 * DAY)
  assert.equal(clock.contradicted(), 30 * DAY)
  wall -= 30 * DAY
  assert.equal(clock.now(), wall)
  assert.equal(clock.contradicted(), 0)
})

test('the network alone does not move the clock: without a jump the machine is believed', () => {
  clock.learned(START - 30 * DAY, true)
  assert.equal(clock.now(), START)
  assert.deepEqual(changes, [])
})

test('a clock that was behind and is put right is followed at once when the network has said so, before or after', () => {
  clock.learned(START + 30 * DAY, true)
  wall += 30 * DAY
  assert.equal(clock.now(), wall)
  wall += 5 * DAY
  assert.notEqual(clock.now(), wall)
  clock.learned(wall, true)
  assert.equal(clock.now(), wall)
})

test('an answer of the network in between does not confirm a jump: only a login does', () => {
  wall += 30 * DAY
  clock.learned(wall, false)
  assert.equal(clock.ahead(), 30 * DAY)
})

test('a machine that was suspended for a week is a week later', () => {
  wall += 7 * DAY
  suspended += 7 * DAY
  assert.equal(clock.now(), wall)
  assert.deepEqual(changes, [])
  wall += 7 * DAY
  assert.equal(clock.now(), wall - 7 * DAY, 'which is counted once')
})
