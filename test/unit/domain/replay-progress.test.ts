import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterCount, afterReplay, takenOf, takesAllPending, untilNow } from '../../../src/domain/replay-progress.ts'

const NEXT = '2026-01-31T08:00:00.000Z'
const started = (queued: number, nextFrom: string | null = null) => afterReplay(undefined, { queued, nextFrom, othersPending: 0 })

test('events that wait again after a refusal are counted as waiting', () => {
  const some = afterCount(started(5), 2)
  assert.equal(some.waiting, 2)
  assert.equal(afterCount(some, 4).waiting, 4)
  assert.equal(afterCount(some, 9).waiting, 5)
})

test('a resend is done after two counts without a pending event, because one count can miss an event', () => {
  const once = afterCount(afterCount(started(5), 1), 0)
  assert.equal(once.waiting, 1)
  assert.equal(afterCount(once, 0).waiting, 0)
  const again = afterCount(once, 1)
  assert.equal(afterCount(again, 0).waiting, 1)
})

test('a resend of failed events beside pending ones tells no number of waiting events', () => {
  assert.deepEqual(([undefined, 'pending', 'failed', 'discarded'] as const).map(takesAllPending), [true, true, false, false])
  const mixed = afterReplay(undefined, { queued: 5, nextFrom: NEXT, othersPending: 100 })
  assert.equal(mixed.waiting, undefined)
  assert.equal(afterCount(mixed, 100).waiting, undefined)
  assert.equal(afterCount(afterCount(mixed, 0), 0).waiting, undefined)
  assert.equal(afterReplay(mixed, { queued: 3, nextFrom: null, othersPending: 0 }).waiting, undefined)
})

test('the next events of a range are added to those that wait already', () => {
  const first = afterCount(started(10_000, NEXT), 40)
  const both = afterReplay(first, { queued: 300, nextFrom: null, othersPending: 0 })
  assert.deepEqual(both, { queued: 10_300, waiting: 340, emptyCounts: 0, nextFrom: null })
})

test('a resend without events is done', () => assert.equal(started(0).waiting, 0))

test('a range ends at the time of the request, and before the first event that was left out', () => {
  const range = { from: '2026-01-31T00:00:00.000Z', to: '2026-01-31T09:00:00.000Z', type: 'received' }
  assert.deepEqual(untilNow(range, Date.parse(NEXT)), { ...range, to: NEXT })
  assert.deepEqual(untilNow(range, Date.parse('2026-02-01T00:00:00.000Z')), range)
  assert.deepEqual(untilNow({ ...range, to: 'noon' }, 0).to, 'noon')
  assert.deepEqual(takenOf(range, NEXT), { ...range, to: '2026-01-31T07:59:59.999Z' })
  assert.deepEqual(takenOf(range, null), range)
})
