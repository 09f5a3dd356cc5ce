import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complaint } from '../../../src/complaint.ts'
import { Failure } from '../../../src/domain/failures.ts'

test('the sentence comes first, then what led to it, outermost first', () => {
  const full = new Error('ENOSPC: no space left on device')
  const commit = new Error('The store could not write the records, and none of them was stored.', { cause: full })
  const failure = new Failure('engine_unavailable', { message: 'The engine did not start.', cause: commit })
  assert.equal(
    complaint(failure),
    'The engine did not start.\n' +
      '  because: The store could not write the records, and none of them was stored.\n' +
      '  because: ENOSPC: no space left on device\n',
  )
})

test('a refusal that needs no reason is one sentence', () => {
  assert.equal(complaint(new Error('SVC_PORT is "http".')), 'SVC_PORT is "http".\n')
})

test('a defect shows where it comes from, and its reasons as well', () => {
  const defect = new TypeError('x is not a function', { cause: 'a thread ended' })
  assert.match(complaint(defect), /^TypeError: x is not a function\n {4}at [\s\S]*\n {2}because: a thread ended\n$/)
})

test('all addresses that failed are named, a reason once, and a chain that bites its tail ends', () => {
  const both = new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('connect ECONNREFUSED 127.0.0.1:1')])
  const circle = new Error('it cannot be reached', { cause: both })
  both.cause = circle
  assert.equal(
    complaint(new Error('No start.', { cause: circle })),
    'No start.\n  because: it cannot be reached\n  because: AggregateError\n' +
      '  because: connect ECONNREFUSED ::1:1\n  because: connect ECONNREFUSED 127.0.0.1:1\n',
  )
})
