import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureData } from '../../../src/domain/failures.ts'

const DATA: FailureData = {
  code: 'engine_unavailable',
  message: 'Later.',
  details: { reason: 'not_started', issues: [{ path: 'phone', message: 'is wrong' }] },
  retryAfter: 7,
}

test('a failure in the words of a caller, or with more details, keeps everything else', () => {
  const cause = new Error('the network refused')
  const failure = Object.assign(Failure.from(DATA), { cause })
  for (const [copy, details] of [
    [failure.renamed((path) => `their_${path}`), { issues: [{ path: 'their_phone', message: 'is wrong' }] }],
    [failure.detailed({ applied: ['name'] }), { applied: ['name'] }],
  ] as const) {
    assert.deepEqual(copy.toData(), { ...DATA, details: { ...DATA.details, ...details } })
    assert.equal(copy.cause, cause)
  }
})

test('a failure without issues has no paths to rename, so it is not copied', () => {
  const failure = new Failure('not_found')
  assert.equal(
    failure.renamed((path) => `their_${path}`),
    failure,
  )
})
