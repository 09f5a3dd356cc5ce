import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTrust, findChainFault, wireKeys } from '../../packages/sandbox/src/testing.ts'

const { generateKeyPair, sign, verify } = wireKeys

const now = () => Math.floor(Date.now() / 1000)

test("libsignal's boolean verify tells a signature from another", () => {
  const pair = generateKeyPair()
  const message = Buffer.from('a message')
  const signature = sign(pair, message)
  assert.equal(verify(pair.publicKey, message, signature), true)
  assert.equal(verify(pair.publicKey, Buffer.from('another'), signature), false)
  assert.equal(verify(generateKeyPair().publicKey, message, signature), false)
})

test('the chain is strictly valid under its own root', () => {
  const trust = createTrust()
  assert.equal(findChainFault(trust.chain(), trust.root, trust.serverKey.publicKey, now()), undefined)
})

test('a chain of another root is found out', () => {
  const trust = createTrust()
  const fault = findChainFault(trust.chain('root'), trust.root, trust.serverKey.publicKey, now())
  assert.equal(fault, 'the intermediate is not signed by the root')
})

test('a valid chain of another static key is found out', () => {
  const trust = createTrust()
  const fault = findChainFault(trust.chain('leaf'), trust.root, trust.serverKey.publicKey, now())
  assert.equal(fault, 'the leaf is of another static key')
})

test('a chain is not valid in a hundred years', () => {
  const trust = createTrust()
  const fault = findChainFault(trust.chain(), trust.root, trust.serverKey.publicKey, now() + 100 * 365 * 86_400)
  assert.equal(fault, 'a certificate is not valid today')
})

test('what was saved has the same root and server key', () => {
  const trust = createTrust()
  const again = createTrust(JSON.parse(JSON.stringify(trust.save())))
  assert.deepEqual(again.root, trust.root)
  assert.deepEqual(again.serverKey.publicKey, trust.serverKey.publicKey)
})
