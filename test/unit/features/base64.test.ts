import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decodeBase64 } from '../../../src/features/base64.ts'

test('every length decodes to what was encoded, from the beginning or from behind a prefix', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = randomBytes(length)
    const text = bytes.toString('base64')
    assert.deepEqual(Buffer.from(decodeBase64(text)!), bytes)
    assert.deepEqual(Buffer.from(decodeBase64(`data:;base64,${text}`, 13)!), bytes)
  }
})

test('one wrong character anywhere is no base64', () => {
  const text = randomBytes(96).toString('base64')
  for (const wrong of ['*', '-', '_', ' ', '\n', '\0', 'é', 'Ł', '\ud83d'])
    for (let at = 0; at < text.length; at++)
      assert.equal(decodeBase64(text.slice(0, at) + wrong + text.slice(at + 1)), undefined, `${wrong} at ${at}`)
})

test('padding is asked for, and nothing more than it', () => {
  for (const wrong of ['a', 'ab', 'abc', 'ab=', 'ab=c', 'a===', '====', 'ab==ab==', 'abc=abc=', '='])
    assert.equal(decodeBase64(wrong), undefined, wrong)
})
