import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { createNoiseResponder, createTrust } from '../../packages/sandbox/src/testing.ts'
import { agree, newPair, rawOf, seal, symmetric } from './noise-state.ts'

/**
 * Tests the server's side of the handshakes without a socket. `raw-wire.test.ts` tests the same handshakes over a
 * socket.
 */

const payload = proto.ClientPayload.encode({ username: 5511900000001, passive: true }).finish()
const trust = createTrust()

function hello(serverKey: Uint8Array) {
  const state = symmetric('Noise_IK_25519_AESGCM_SHA256')
  const [own, ephemeral] = [newPair(), newPair()]
  state.mix(serverKey)
  state.mix(rawOf(ephemeral.publicKey))
  state.mixKey(agree(ephemeral, serverKey))
  const sealedKey = state.encrypt(rawOf(own.publicKey))
  state.mixKey(agree(own, serverKey))
  const clientHello = { ephemeral: rawOf(ephemeral.publicKey), static: sealedKey, payload: state.encrypt(payload) }
  return { state, own, ephemeral, message: Buffer.from(proto.HandshakeMessage.encode({ clientHello }).finish()) }
}

test('a client that knows the key of the server is known after one message', () => {
  const { state, own, ephemeral, message } = hello(trust.serverKey.publicKey)
  const { answer, client } = createNoiseResponder(trust).hello(message)
  assert.ok(client)
  assert.deepEqual(client.staticKey, rawOf(own.publicKey))
  assert.equal(Number(client.payload.username), 5511900000001)
  const { serverHello } = proto.HandshakeMessage.decode(answer)
  assert.ok(serverHello?.ephemeral && serverHello.payload && !serverHello.static?.length)
  state.mix(serverHello.ephemeral)
  state.mixKey(agree(ephemeral, serverHello.ephemeral))
  state.mixKey(agree(own, serverHello.ephemeral))
  state.decrypt(serverHello.payload)
  const key = state.split().subarray(0, 32)
  const sealed = seal(key, 0, Buffer.from('hello'), Buffer.alloc(0))
  assert.equal(client.transport.decrypt(sealed).toString(), 'hello')
})

test('one that knows another key is answered as a new one, and goes on from there', () => {
  const stale = rawOf(newPair().publicKey)
  for (const forged of [undefined, 'leaf'] as const) {
    const { own, ephemeral, message } = hello(forged ? trust.serverKey.publicKey : stale)
    const responder = createNoiseResponder(trust)
    const { answer, client } = responder.hello(message, forged)
    assert.equal(client, undefined)
    const { serverHello } = proto.HandshakeMessage.decode(answer)
    const state = symmetric('Noise_XXfallback_25519_AESGCM_SHA256')
    state.mix(rawOf(ephemeral.publicKey))
    state.mix(serverHello!.ephemeral!)
    state.mixKey(agree(ephemeral, serverHello!.ephemeral!))
    const serverKey = state.decrypt(serverHello!.static!)
    assert.deepEqual(serverKey, trust.serverKey.publicKey)
    state.mixKey(agree(ephemeral, serverKey))
    state.decrypt(serverHello!.payload!)
    const sealedKey = state.encrypt(rawOf(own.publicKey))
    state.mixKey(agree(own, serverHello!.ephemeral!))
    const clientFinish = { static: sealedKey, payload: state.encrypt(payload) }
    const finished = responder.finish(Buffer.from(proto.HandshakeMessage.encode({ clientFinish }).finish()))
    assert.deepEqual(finished.staticKey, rawOf(own.publicKey))
  }
})
