import assert from 'node:assert/strict'
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { createTrust } from '../../workers/simulator/wire/certificate.ts'
import { createResponder } from '../../workers/simulator/wire/noise.ts'

/** A client that knows the server's key from before, over node's own cryptography: nothing of it is shared with the responder. */

const SPKI = Buffer.from('302a300506032b656e032100', 'hex')
const INTRO = Buffer.from([0x57, 0x41, 6, 3])
const raw = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(SPKI.length)
const publicOf = (bytes: Uint8Array) => createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })

function symmetric(protocol: string) {
  const name = Buffer.from(protocol)
  let hash: Buffer =
    name.length > 32 ? createHash('sha256').update(name).digest() : Buffer.concat([name, Buffer.alloc(32 - name.length)])
  let chain = hash
  let key = hash
  let n = 0
  const mix = (data: Uint8Array) => {
    hash = createHash('sha256').update(hash).update(data).digest()
  }
  const iv = () => {
    const bytes = Buffer.alloc(12)
    bytes.writeUInt32BE(n++, 8)
    return bytes
  }
  mix(INTRO)
  return {
    mix,
    mixKey(secret: Buffer) {
      const out = Buffer.from(hkdfSync('sha256', secret, chain, '', 64))
      chain = out.subarray(0, 32)
      key = out.subarray(32)
      n = 0
    },
    encrypt(data: Uint8Array) {
      const cipher = createCipheriv('aes-256-gcm', key, iv()).setAAD(hash)
      const sealed = Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])
      mix(sealed)
      return sealed
    },
    decrypt(data: Uint8Array) {
      const bytes = Buffer.from(data)
      const decipher = createDecipheriv('aes-256-gcm', key, iv()).setAAD(hash).setAuthTag(bytes.subarray(-16))
      const opened = Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()])
      mix(bytes)
      return opened
    },
    split: () => Buffer.from(hkdfSync('sha256', Buffer.alloc(0), chain, '', 64)),
  }
}

const payload = proto.ClientPayload.encode({ username: 5511900000001, passive: true }).finish()
const trust = createTrust()

/** First message of a client that believes the server's key to be this one. */
function hello(serverKey: Uint8Array) {
  const state = symmetric('Noise_IK_25519_AESGCM_SHA256')
  const [own, ephemeral] = [generateKeyPairSync('x25519'), generateKeyPairSync('x25519')]
  const agree = (mine: KeyObject, theirs: Uint8Array) => diffieHellman({ privateKey: mine, publicKey: publicOf(theirs) })
  state.mix(serverKey)
  state.mix(raw(ephemeral.publicKey))
  state.mixKey(agree(ephemeral.privateKey, serverKey))
  const sealedKey = state.encrypt(raw(own.publicKey))
  state.mixKey(agree(own.privateKey, serverKey))
  const clientHello = { ephemeral: raw(ephemeral.publicKey), static: sealedKey, payload: state.encrypt(payload) }
  return { state, own, ephemeral, agree, message: Buffer.from(proto.HandshakeMessage.encode({ clientHello }).finish()) }
}

test('a client that knows the key of the server is known after one message', () => {
  const { state, own, ephemeral, agree, message } = hello(trust.serverKey.publicKey)
  const { answer, client } = createResponder(trust).hello(message)
  assert.ok(client)
  assert.deepEqual(client.staticKey, raw(own.publicKey))
  assert.equal(Number(client.payload.username), 5511900000001)
  const { serverHello } = proto.HandshakeMessage.decode(answer)
  assert.ok(serverHello?.ephemeral && serverHello.payload && !serverHello.static?.length)
  state.mix(serverHello.ephemeral)
  state.mixKey(agree(ephemeral.privateKey, serverHello.ephemeral))
  state.mixKey(agree(own.privateKey, serverHello.ephemeral))
  state.decrypt(serverHello.payload)
  const key = state.split().subarray(0, 32)
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12)).setAAD(Buffer.alloc(0))
  const sealed = Buffer.concat([cipher.update('hello'), cipher.final(), cipher.getAuthTag()])
  assert.equal(client.transport.decrypt(sealed).toString(), 'hello')
})

test('one that knows another key is answered as a new one, and goes on from there', () => {
  const stale = raw(generateKeyPairSync('x25519').publicKey)
  for (const forged of [undefined, 'leaf'] as const) {
    const { own, ephemeral, agree, message } = hello(forged ? trust.serverKey.publicKey : stale)
    const responder = createResponder(trust)
    const { answer, client } = responder.hello(message, forged)
    assert.equal(client, undefined)
    const { serverHello } = proto.HandshakeMessage.decode(answer)
    const state = symmetric('Noise_XXfallback_25519_AESGCM_SHA256')
    state.mix(raw(ephemeral.publicKey))
    state.mix(serverHello!.ephemeral!)
    state.mixKey(agree(ephemeral.privateKey, serverHello!.ephemeral!))
    const serverKey = state.decrypt(serverHello!.static!)
    assert.deepEqual(serverKey, trust.serverKey.publicKey)
    state.mixKey(agree(ephemeral.privateKey, serverKey))
    state.decrypt(serverHello!.payload!)
    const sealedKey = state.encrypt(raw(own.publicKey))
    state.mixKey(agree(own.privateKey, serverHello!.ephemeral!))
    const clientFinish = { static: sealedKey, payload: state.encrypt(payload) }
    const finished = responder.finish(Buffer.from(proto.HandshakeMessage.encode({ clientFinish }).finish()))
    assert.deepEqual(finished.staticKey, raw(own.publicKey))
  }
})
