import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { keyedHash } from '../../../src/lib/keyed-hash.ts'

test('it is the HMAC of the text, whatever came before it, however long it is, and whoever changes the key afterwards', () => {
  const texts = [
    '',
    'a',
    '5511988880001@s.whatsapp.net',
    'é€',
    '😀',
    '\ud83d',
    'x'.repeat(256),
    '€'.repeat(256),
    'x'.repeat(257),
    'a',
  ]
  const all = [0, 1, 32, 64].map((length) => {
    const key = randomBytes(length)
    const expected = texts.map((text) => createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url'))
    const hash = keyedHash(key, 16)
    key.fill(0)
    return { hash, expected }
  })
  // The test alternates between the keys, because all of them use the same memory for their hashes.
  for (const [at, text] of texts.entries()) for (const { hash, expected } of all) assert.equal(hash(text), expected[at])
  assert.throws(() => keyedHash(randomBytes(65), 16), RangeError)
})
