import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../src/domain/failures.ts'
import { type Ending, isEventStream, isSentAgain } from '../../../src/peer/forward-rules.ts'

test('a request is sent again only if nothing of it can have been carried out, and its body is kept', () => {
  const endings: [Ending, boolean][] = [
    [{ is: 'unsent' }, true],
    [{ is: 'elsewhere', active: undefined }, true],
    [{ is: 'unknown' }, false],
    [{ is: 'answered' }, false],
    [{ is: 'left' }, false],
    [{ is: 'refused', failure: new Failure('invalid_request') }, false],
  ]
  for (const [ending, isAgain] of endings)
    assert.deepEqual([isSentAgain(ending, true), isSentAgain(ending, false)], [isAgain, false], ending.is)
})

test('only a request that reads events is an event stream', () => {
  assert.equal(isEventStream('GET', 'text/event-stream'), true)
  assert.equal(isEventStream('POST', 'application/json, text/event-stream'), false)
  assert.equal(isEventStream('GET', undefined), false)
})
