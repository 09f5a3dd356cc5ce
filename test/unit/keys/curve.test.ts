/** Compares keys, agreements and signatures with those of the JavaScript libsignal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as js from 'libsignal/src/curve.js'
import { agreement, isSignedBy, newKeyPair, sign } from '../../../workers/shard/keys/curve.ts'

const typed = (key: Uint8Array) => Buffer.concat([Buffer.of(5), key])

test('both implementations agree on the same secret', () => {
  const [a, b] = [newKeyPair(), newKeyPair()]
  assert.equal(a.public.length, 32)
  const theirs = js.calculateAgreement(typed(b.public), Buffer.from(a.private))
  assert.deepEqual(agreement(a.private, b.public), Buffer.from(theirs))
  assert.deepEqual(agreement(a.private, b.public), agreement(b.private, typed(a.public)))
  assert.throws(() => agreement(a.private, Buffer.alloc(3)), Error)
})

test('a public key with which every agreement is zero is refused', () => {
  const { private: own } = newKeyPair()
  const one = Buffer.alloc(32)
  one[0] = 1
  for (const weak of [Buffer.alloc(32), one, typed(one)]) assert.throws(() => agreement(own, weak), /all-zero shared secret/)
})

test('each verifies the signatures of the other, and another message or length is refused', () => {
  const pair = newKeyPair()
  const message = Buffer.of(6, 0, 1, 2)
  const signature = sign(pair.private, message)
  assert.equal(js.verifySignature(typed(pair.public), message, signature), true)
  assert.equal(isSignedBy(pair.public, message, Buffer.from(js.calculateSignature(Buffer.from(pair.private), message))), true)
  assert.equal(isSignedBy(pair.public, Buffer.of(6, 0, 1, 3), signature), false)
  for (const length of [0, 63, 65]) assert.equal(isSignedBy(pair.public, message, Buffer.alloc(length, signature)), false)
  for (const length of [0, 1, 31, 34]) assert.equal(isSignedBy(Buffer.alloc(length, pair.public), message, signature), false)
})

test('a failure that is not about a length is thrown by the verification', () => {
  const pair = newKeyPair()
  assert.throws(() => isSignedBy(pair.public, Buffer.of(1), undefined as unknown as Uint8Array), TypeError)
})
