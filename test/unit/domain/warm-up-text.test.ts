/**
 * Tests that the steps of the warm-up are read as they are written, and that an invalid step is refused. If it became
 * null instead, this would mean that there is no limit.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warmUpIn, warmUpText } from '../../../src/domain/warm-up-text.ts'

test('steps are read as they are written', () => {
  const steps = [
    { day: 0, per_day: 10 },
    { day: 7, per_day: 50 },
    { day: 30, per_day: null },
  ]
  assert.equal(warmUpText(steps), '0: 10, 7: 50, 30: none')
  assert.deepEqual(warmUpIn(warmUpText(steps)), steps)
  assert.deepEqual(warmUpIn(' 0:10 ,7 :50, 30:none '), steps)
  assert.equal(warmUpIn('  '), null)
  assert.equal(warmUpText(null), '')
})

for (const text of ['7: 5O', '7:', ': 5', '7', '7: 50,', '7: -1', 'a: 5', '7: 5: 3', '7: None'])
  test(`"${text}" is refused`, () => assert.equal(warmUpIn(text), undefined))
