import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../src/domain/failures.ts'
import { type Ending, isEventStream, isSentAgain } from '../../../src/peer/forward-rules.ts'

test('a request is sent again only if nothing of it can have been carried out, and nothing of its body is lost', () => {
  const endings: [Ending, boolean, boolean][] = [
    [{ is: 'unsent' }, true, true],
    [{ is: 'busy' }, true, true],
    [{ is: 'elsewhere', isLeaving: false }, true, false],
    [{ is: 'unknown' }, false, false],
    [{ is: 'answered' }, false, false],
    [{ is: 'left' }, false, false],
    [{ is: 'refused', failure: new Failure('invalid_request') }, false, false],
  ]
  for (const [ending, isAgain, isAgainWithoutBody] of endings)
    assert.deepEqual([isSentAgain(ending, true), isSentAgain(ending, false)], [isAgain, isAgainWithoutBody], ending.is)
})

test('only a request that reads events is an event stream', () => {
  assert.equal(isEventStream('GET', 'text/event-stream'), true)
  assert.equal(isEventStream('POST', 'application/json, text/event-stream'), false)
  assert.equal(isEventStream('GET', undefined), false)
})
