import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../src/domain/failures.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { Busy, TooMany } from '../../../src/http/errors.ts'
import { errorResponse } from '../../../src/http/oauth/answers.ts'

test('an error tells when to try again, as it does in the API', async () => {
  for (const [error, code, status, retryAfter] of [
    [new TooMany(6, 'address'), 'too_many_requests', 429, '6'],
    [new StorageFailure('the disk is full'), 'server_error', 503, '1'],
    [new Busy('There is no memory.'), 'server_error', 503, '1'],
    [new Failure('engine_unavailable', { retryAfter: 9 }), 'server_error', 503, '9'],
    [new Failure('engine_unavailable', { details: { reason: 'outcome_unknown' } }), 'server_error', 503, null],
    [new Failure('not_allowed'), 'access_denied', 403, null],
    [Failure.invalid({ path: 'state', message: 'is missing' }), 'invalid_request', 400, null],
  ] as const) {
    const response = errorResponse(error)!
    assert.deepEqual(
      [((await response.json()) as { error: string }).error, response.status, response.headers.get('Retry-After')],
      [code, status, retryAfter],
    )
  }
  assert.equal(errorResponse(new Error('a defect')), undefined)
})
