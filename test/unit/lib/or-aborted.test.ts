import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deferred } from '../../../src/lib/deferred.ts'
import { orAborted } from '../../../src/lib/or-aborted.ts'

test('work that ends before the abort gives its result or its error', async () => {
  const { signal } = new AbortController()
  const late: string[] = []
  assert.equal(await orAborted(Promise.resolve('made'), signal, (made) => late.push(made)), 'made')
  await assert.rejects(
    orAborted(Promise.reject(new Error('failed')), signal, () => {}),
    /failed/,
  )
  assert.deepEqual(late, [])
})

test('after the abort the result of the work is passed on as late', async () => {
  const ending = new AbortController()
  const late: string[] = []
  const [one, other] = [deferred<string>(), deferred<string>()]
  const first = orAborted(one.promise, ending.signal, (made) => late.push(made))
  ending.abort(new Error('over'))
  const second = orAborted(other.promise, ending.signal, (made) => late.push(made))
  for (const each of [first, second]) await assert.rejects(each, /over/)
  one.resolve('one')
  other.reject(new Error('failed'))
  await one.promise
  assert.deepEqual(late, ['one'])
})
