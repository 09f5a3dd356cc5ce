import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWeeks, WEEK } from '../../../src/storage/weeks.ts'
import { tempStore } from './fixtures.ts'

const ROWS = 'rows:'
const BACK = 2
const WRITTEN = 100

test('rows are found and kept in the earlier weeks and after a clock that was ahead, and are then removed', async (t) => {
  const store = await tempStore(t)
  let now = 0
  const of = (week: number) => `${ROWS}${String(week).padStart(6, '0')}:`
  const weeks = createWeeks(store, { now: () => now }, ROWS, of, BACK)
  now = WRITTEN * WEEK
  await store.commit({ ops: [[`${of(weeks.current())}row`, Buffer.from('row')]] })
  /** Removes old rows at this time, and returns whether the row is looked for and is on disk. */
  const at = async (time: number) => {
    now = time
    await weeks.removeOld(() => false)
    return [weeks.kept().includes(WRITTEN), (await store.count(ROWS)) === 1]
  }
  // The row was written by a clock that was ahead, and the clock was then set back into the week before.
  assert.deepEqual(await at(WRITTEN * WEEK - 1), [true, true])
  assert.deepEqual(await at(WRITTEN * WEEK), [true, true])
  assert.deepEqual(await at((WRITTEN + BACK + 1) * WEEK - 1), [true, true])
  assert.deepEqual(await at((WRITTEN + BACK + 1) * WEEK), [false, false])
})
