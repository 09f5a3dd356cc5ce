import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as libsignal from 'libsignal/src/curve.js'
import * as rust from 'whatsapp-rust-bridge'
import { curve } from '../../packages/sandbox/src/testing.ts'

const { agreement, isSignedBy, newKeyPair, newSigningPair, sign, signingPair } = curve

test('a signature of ours is valid for both libraries', () => {
  for (let round = 0; round < 20; round++) {
    const pair = newSigningPair()
    const message = randomBytes(round * 7)
    const signature = sign(pair, message)
    assert.equal(libsignal.verifySignature(pair.pubKey, message, signature), true)
    assert.equal(rust.verifySignature(pair.pubKey, message, signature), true)
    assert.equal(isSignedBy(pair.pubKey, message, signature), true)
  }
})

test("both libraries' signatures are valid for us, with any key", () => {
  for (let round = 0; round < 20; round++) {
    const pair = newKeyPair()
    const message = randomBytes(50)
    assert.equal(isSignedBy(pair.pubKey, message, libsignal.calculateSignature(pair.privKey, message)), true)
    assert.equal(isSignedBy(pair.pubKey.subarray(1), message, rust.calculateSignature(pair.privKey, message)), true)
  }
})

test('a changed message, signature or key is refused', () => {
  const pair = newSigningPair()
  const message = randomBytes(50)
  const signature = sign(pair, message)
  assert.equal(isSignedBy(pair.pubKey, Buffer.concat([message, Buffer.from([0])]), signature), false)
  for (const at of [0, 31, 32, 63]) {
    const changed = Buffer.from(signature)
    changed[at]! ^= 1
    assert.equal(isSignedBy(pair.pubKey, message, changed), false)
  }
  assert.equal(isSignedBy(newSigningPair().pubKey, message, signature), false)
  assert.equal(isSignedBy(pair.pubKey, message, signature.subarray(1)), false)
  assert.equal(isSignedBy(Buffer.alloc(32), message, signature), false)
  assert.equal(isSignedBy(Buffer.alloc(32, 0xff), message, signature), false)
})

test('a signing pair agrees on secrets like any other, and follows from its seed', () => {
  const anna = newSigningPair()
  const ben = newKeyPair()
  assert.deepEqual(agreement(ben.pubKey, anna.privKey), agreement(anna.pubKey, ben.privKey))
  assert.deepEqual(Buffer.from(rust.calculateAgreement(anna.pubKey, ben.privKey)), agreement(ben.pubKey, anna.privKey))
  assert.deepEqual(signingPair(anna.seed), anna)
})
