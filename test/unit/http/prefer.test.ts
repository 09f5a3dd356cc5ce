import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitOf } from '../../../src/http/prefer.ts'

test('seconds become milliseconds, in every way the header may be written', () => {
  for (const header of [
    'wait=10',
    'WAIT=10',
    ' wait = 10 ',
    'wait="10"',
    'respond-async, wait=10',
    'wait=10; foo=bar',
    'wait=10, wait=20',
  ])
    assert.equal(waitOf(header), 10_000, header)
  assert.deepEqual([waitOf('wait=1'), waitOf('wait=30')], [1_000, 30_000])
})

test('whoever would wait longer waits the most, and what is not understood is ignored', () => {
  assert.equal(waitOf('wait=31'), 30_000)
  assert.equal(waitOf('wait=999999999'), 30_000)
  for (const header of [
    undefined,
    null,
    '',
    'wait',
    'wait=',
    'wait=0',
    'wait=-1',
    'wait=1.5',
    'wait=ten',
    'waiting=5',
    'return=minimal',
    'wait=9999999999',
  ])
    assert.equal(waitOf(header), undefined, String(header))
})
