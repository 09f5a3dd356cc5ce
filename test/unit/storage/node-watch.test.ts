import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeRow } from '../../../src/storage/drivers/postgres/owner/node-rows.ts'
import { createNodeWatch } from '../../../src/storage/drivers/postgres/owner/node-watch.ts'
import { createSilenceWatch } from '../../../src/storage/drivers/postgres/owner/silence-watch.ts'

function watched() {
  let now = 0
  const watch = createNodeWatch(() => now)
  /**
   * Returns the verdict about each service. `beats`: the counters of the services; a negative counter means that the
   * service has no connection.
   */
  const look = (beats: Record<string, number>, afterMs = 1_000) => {
    now += afterMs
    const found = Object.entries(beats).map(([id, beat]) => ({
      id,
      beat: Math.abs(beat),
      connection: beat < 0 ? undefined : 'its own',
    }))
    return Object.fromEntries(watch.judge(found, now))
  }
  return { watch, look }
}

test('each service is judged by its own counter, whatever the others do', () => {
  const { look } = watched()
  for (let beat = 1; beat < 4; beat++) look({ runs: beat, stops: 7, ends: beat })
  assert.deepEqual(look({ runs: 4, stops: 7, ends: -3 }), { runs: 'alive', stops: 'alive', ends: 'alive' })
  assert.deepEqual(look({ runs: 5, stops: 7, ends: -3 }), { runs: 'alive', stops: 'alive', ends: 'alive' })
  assert.deepEqual(look({ runs: 6, stops: 7, ends: -3 }), { runs: 'alive', stops: 'still', ends: 'unconnected' })
  for (let beat = 7; beat < 9; beat++) look({ runs: beat, stops: 7, ends: -3 })
  assert.deepEqual(look({ runs: 9, stops: 7, ends: -3 }), { runs: 'alive', stops: 'still', ends: 'dead' })
  assert.deepEqual(look({ runs: 7, stops: 8 }), { runs: 'alive', stops: 'alive' })
  assert.deepEqual(look({ runs: 8, stops: 8, ends: -3 }), { runs: 'alive', stops: 'alive', ends: 'alive' })
})

test('a gap between two looks begins the observation of all services anew', () => {
  const { look } = watched()
  for (let count = 0; count < 5; count++) look({ a: 1, b: 1 })
  assert.deepEqual(look({ a: 1, b: 1 }, 1_501), { a: 'alive', b: 'alive' })
  for (let count = 0; count < 4; count++) look({ a: 1, b: 1 })
  assert.deepEqual(look({ a: 1, b: 1 }), { a: 'still', b: 'still' })
})

test('silence is measured from the last rise that was seen', () => {
  const { watch, look } = watched()
  look({ a: 1, b: 1 })
  look({ a: 2, b: 1 })
  look({ a: 2, b: 1 })
  look({ a: 2, b: 1 })
  assert.deepEqual([watch.silentMs('a'), watch.silentMs('b'), watch.silentMs('c')], [2_000, undefined, undefined])
  watch.forget()
  assert.equal(watch.silentMs('a'), undefined)
})

test('a clock of the database that is set does not make a service silent that was seen at work', () => {
  let now = 0
  const watched = createSilenceWatch(() => now)
  const HOUR = 3_600_000
  const silenceOf = (beats: Record<string, number>, silentMs: number) => {
    now += 1_000
    const rows = Object.entries(beats).map(([id, beat]) => ({ id, beat, silentMs }) as NodeRow)
    return Object.fromEntries(watched(rows, now).map((row) => [row.id, row.silentMs]))
  }
  assert.deepEqual(silenceOf({ runs: 1, killed: 1 }, 500), { runs: 500, killed: 500 })
  assert.deepEqual(silenceOf({ runs: 2, killed: 1 }, -HOUR), { runs: 0, killed: -HOUR })
  assert.deepEqual(silenceOf({ runs: 2, killed: 1 }, HOUR), { runs: 1_000, killed: HOUR })
})
