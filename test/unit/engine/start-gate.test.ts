import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { systemClock } from '../../../src/domain/clock.ts'
import { respawnDelay } from '../../../src/engine/restart-timer.ts'
import { createStartGate } from '../../../src/engine/start-gate.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

async function withMockedTime(run: () => Promise<void>) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  try {
    await run()
  } finally {
    mock.timers.reset()
  }
}

function ask(gate: ReturnType<typeof createStartGate>, count: number) {
  const admitted: number[] = []
  const back: (() => void)[] = []
  for (let i = 0; i < count; i++)
    gate.enter().admitted.then((giveBack) => {
      admitted.push(i)
      back.push(giveBack)
    })
  return { admitted, back }
}

test('20 starts pass in the order of asking, five in any second, all within three seconds', () =>
  withMockedTime(async () => {
    const { admitted } = ask(createStartGate(5, systemClock), 20)
    const counts: number[] = []
    for (const elapsed of [0, 999, 1, 1_000, 1_000]) {
      mock.timers.tick(elapsed)
      await settle()
      counts.push(admitted.length)
    }
    assert.deepEqual(counts, [5, 5, 10, 15, 20])
    assert.deepEqual(
      admitted,
      Array.from({ length: 20 }, (_, i) => i),
    )
  }))

test('a slot that was not used is given to the next one at once', () =>
  withMockedTime(async () => {
    const { admitted, back } = ask(createStartGate(5, systemClock), 6)
    await settle()
    assert.equal(admitted.length, 5)
    back[2]!()
    await settle()
    assert.equal(admitted.length, 6)
  }))

test('a clock that is set back holds nobody for longer than a second', () =>
  withMockedTime(async () => {
    let now = 1_000_000
    const { admitted } = ask(createStartGate(1, { now: () => now }), 2)
    await settle()
    now -= 3_600_000
    mock.timers.tick(1_000)
    await settle()
    assert.equal(admitted.length, 2)
  }))

test('places that are moved ahead are admitted at the same pace, and when it was foretold', () =>
  withMockedTime(async () => {
    const gate = createStartGate(2, systemClock)
    const admitted: number[] = []
    const places = Array.from({ length: 9 }, () => gate.enter())
    for (const [index, place] of places.entries()) place.admitted.then(() => admitted.push(index))
    assert.equal(places[0]!.moveAhead('w'), 0)
    assert.deepEqual(
      [7, 5, 7].map((index) => places[index]!.moveAhead('w')),
      [1_000, 2_000, 1_000],
    )
    places[3]!.leave()
    mock.timers.tick(400)
    assert.equal(places[5]!.moveAhead('w'), 1_600)
    mock.timers.tick(600)
    const counts: number[] = []
    for (const _ of [1, 2, 3]) {
      await settle()
      counts.push(admitted.length)
      mock.timers.tick(1_000)
    }
    assert.deepEqual(counts, [5, 7, 9])
    assert.deepEqual(admitted, [0, 1, 3, 7, 2, 5, 4, 6, 8])
  }))

test('an open gate lets everybody through', () =>
  withMockedTime(async () => {
    const gate = createStartGate(1, systemClock)
    const { admitted } = ask(gate, 10)
    gate.open()
    await settle()
    assert.equal(admitted.length, 10)
  }))

test('a shard that keeps dying is started after 250 ms, then twice as long each time, at most 30 s', () => {
  assert.deepEqual([0, 1, 2, 6, 7, 100].map(respawnDelay), [250, 500, 1_000, 16_000, 30_000, 30_000])
})
