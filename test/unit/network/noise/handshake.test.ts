/**
 * Compares the handshake with a published test vector of Noise, and with the library. The server's side in these tests
 * shares no code with the service, the simulator or the library.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Curve, makeNoiseHandler, NOISE_WA_HEADER, proto } from '@whiskeysockets/baileys'
import pino from 'pino'
import { agreement, newKeyPair } from '../../../../workers/shard/keys/curve.ts'
import { createFrameWriter, introductionOf } from '../../../../workers/shard/network/frames/frame-writer.ts'
import { sealFrame, unsealFrame } from '../../../../workers/shard/network/noise/cipher.ts'
import { createInitiator } from '../../../../workers/shard/network/noise/initiator.ts'
import { createSymmetricState } from '../../../../workers/shard/network/noise/symmetric-state.ts'
import { agree, newPair, pairOf, rawOf, symmetric } from '../../../simulator/noise-state.ts'

const hex = (text: string) => Buffer.from(text, 'hex')

/**
 * Test vector of `Noise_XX_25519_AESGCM_SHA256` with a prologue and a payload in each message. Several implementations
 * of Noise use it.
 */
const VECTOR = {
  ownSecret: hex('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'),
  ephemeralSecret: hex('202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f'),
  prologue: hex('6e6f74736563726574'),
  first: hex('358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254746573745f6d73675f30'),
  second: hex(
    '64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d484665393019dbd6f438795da206db0886610b26108e424142c2e9b5fd1f7ea70cde847f6866f15c3cd3f864f7ed682f1711a4917917195c8cf360e080035dfa88af5c6e9b820278e6016f7d7',
  ),
  third: hex(
    'e610eadc4b00c17708bf223f29a66f02342fbedf6c0044736544b9271821ae403bbe475185a4a265a50e1d43bdaeee7fe070c07602c6b84d25a3b4064af5be30115a052069038f5002a3',
  ),
  sent: hex('9ea1da1ec3bfecfffab213e537ed1791bfa887dd9c631351b3f63d6315ab9a'),
  received: hex('217c5111fad7afde33bd28abaff3def88a57ab50515115d23a10f28621f842'),
}

test('the keys and messages are those of the published vector', () => {
  const own = pairOf(VECTOR.ownSecret)
  const ephemeral = rawOf(pairOf(VECTOR.ephemeralSecret).publicKey)
  const state = createSymmetricState('Noise_XX_25519_AESGCM_SHA256', VECTOR.prologue)
  assert.deepEqual(Buffer.concat([ephemeral, Buffer.from('test_msg_0')]), VECTOR.first)
  state.mixHash(ephemeral)
  // The vector has a payload in the first message, which is hashed, too. The network's protocol has no such payload.
  state.mixHash(Buffer.from('test_msg_0'))

  const [theirs, sealedKey, payload] = [VECTOR.second.subarray(0, 32), VECTOR.second.subarray(32, 80), VECTOR.second.subarray(80)]
  state.mixHash(theirs)
  state.mixKey(agreement(VECTOR.ephemeralSecret, theirs))
  const serverKey = state.decrypt(sealedKey)
  state.mixKey(agreement(VECTOR.ephemeralSecret, serverKey))
  assert.equal(state.decrypt(payload).toString(), 'test_msg_1')

  const ownSealed = state.encrypt(rawOf(own.publicKey))
  state.mixKey(agreement(VECTOR.ownSecret, theirs))
  assert.deepEqual(Buffer.concat([ownSealed, state.encrypt(Buffer.from('test_msg_2'))]), VECTOR.third)
  const { sent, received } = state.split()
  assert.deepEqual(sealFrame(Buffer.from('yellowsubmarine'), { key: sent, counter: 0 }), VECTOR.sent)
  assert.equal(unsealFrame(VECTOR.received, { key: received, counter: 0 }).toString(), 'submarineyellow')
})

/**
 * Answers a first message as a server does. `finish` reads the next message of the client, and returns what it contains
 * and the keys of the connection.
 */
function serverFor(ephemeral: Uint8Array) {
  const [own, ownEphemeral] = [newPair(), newPair()]
  const { Details } = proto.CertChain.NoiseCertificate
  const signed = (serial: number, issuerSerial: number) => ({
    details: Details.encode({ serial, issuerSerial, key: rawOf(own.publicKey) }).finish(),
    signature: Buffer.alloc(64),
  })
  const state = symmetric('Noise_XX_25519_AESGCM_SHA256')
  state.mix(ephemeral)
  state.mix(rawOf(ownEphemeral.publicKey))
  state.mixKey(agree(ownEphemeral, ephemeral))
  const sealedKey = state.encrypt(rawOf(own.publicKey))
  state.mixKey(agree(own, ephemeral))
  const chain = proto.CertChain.encode({ leaf: signed(2, 1), intermediate: signed(1, 0) }).finish()
  const hello = { ephemeral: rawOf(ownEphemeral.publicKey), static: sealedKey, payload: state.encrypt(chain) }
  return {
    hello,
    serverKey: rawOf(own.publicKey),
    finish(message: { static: Uint8Array; payload: Uint8Array }) {
      const clientKey = state.decrypt(message.static)
      state.mixKey(agree(ownEphemeral, clientKey))
      const payload = state.decrypt(message.payload)
      const keys = state.split()
      return { clientKey, payload, sent: keys.subarray(0, 32), received: keys.subarray(32) }
    },
  }
}

test('a server of another implementation understands the handshake, and both have the same keys', () => {
  const [ephemeral, own] = [newKeyPair(), newKeyPair()]
  const noise = createInitiator({ ephemeral, own }, NOISE_WA_HEADER)
  const server = serverFor(ephemeral.public)
  assert.deepEqual(noise.read(server.hello).serverKey, server.serverKey)
  const { message, keys } = noise.finish(Buffer.from('a login'))
  const { clientKey, payload, ...serverKeys } = server.finish(message)
  assert.deepEqual([clientKey, payload.toString()], [own.public, 'a login'])
  assert.deepEqual(keys, serverKeys)
})

test('the messages and the first frames are those of the library', async () => {
  const [ephemeral, own] = [Curve.generateKeyPair(), Curve.generateKeyPair()]
  const routingInfo = Buffer.from('a route')
  const library = makeNoiseHandler({
    keyPair: ephemeral,
    NOISE_HEADER: NOISE_WA_HEADER,
    logger: pino({ level: 'silent' }),
    routingInfo,
  })
  const noise = createInitiator({ ephemeral, own }, NOISE_WA_HEADER)
  const writer = createFrameWriter(introductionOf(NOISE_WA_HEADER, routingInfo))
  const { hello } = serverFor(ephemeral.public)

  assert.deepEqual(writer.frame(Buffer.from('hello')), library.encodeFrame(Buffer.from('hello')))
  noise.read(hello)
  const sealedKey = library.processHandshake(proto.HandshakeMessage.create({ serverHello: hello }), own)
  const { message, keys } = noise.finish(Buffer.from('a login'))
  assert.deepEqual(message, { static: sealedKey, payload: library.encrypt(Buffer.from('a login')) })
  writer.encryptWith(keys.sent)
  await library.finishInit()
  for (const text of ['one', 'two', 'x'.repeat(70_000)])
    assert.deepEqual(writer.frame(Buffer.from(text)), library.encodeFrame(Buffer.from(text)))
  const received = sealFrame(Buffer.from('from the server'), { key: keys.received, counter: 0 })
  assert.equal(library.decrypt(received).toString(), 'from the server')
})

test('a connection without routing info begins with the prologue', () => {
  const writer = createFrameWriter(introductionOf(NOISE_WA_HEADER, undefined))
  assert.deepEqual(writer.frame(Buffer.of(7)), Buffer.from([...NOISE_WA_HEADER, 0, 0, 1, 7]))
  assert.deepEqual(writer.frame(Buffer.of(8)), Buffer.from([0, 0, 1, 8]))
})

test('a message that is too long for a frame is refused, and the next one has the counter that the network expects', () => {
  const key = Buffer.alloc(32, 1)
  const writer = createFrameWriter(Buffer.of())
  writer.encryptWith(key)
  assert.throws(() => writer.frame(Buffer.alloc(2 ** 24 - 16)), RangeError)
  assert.equal(unsealFrame(writer.frame(Buffer.from('next')).subarray(3), { key, counter: 0 }).toString(), 'next')
})

test('a hello that is changed, incomplete or of another handshake is refused', () => {
  const [ephemeral, own] = [newKeyPair(), newKeyPair()]
  const { hello } = serverFor(ephemeral.public)
  const read = (change: object, prologue: Uint8Array = NOISE_WA_HEADER) =>
    createInitiator({ ephemeral, own }, prologue).read({ ...hello, ...change })
  for (const name of ['ephemeral', 'static', 'payload'] as const) {
    assert.throws(() => read({ [name]: null }), /the hello of the network is incomplete/)
    const changed = Buffer.from(hello[name])
    changed[0]! ^= 1
    assert.throws(() => read({ [name]: changed }), name)
  }
  assert.throws(() => read({}, Buffer.from('other')))
  assert.throws(() => read(serverFor(newKeyPair().public).hello))
  assert.throws(() => createInitiator({ ephemeral, own }, NOISE_WA_HEADER).finish(Buffer.of(1)), /before the hello/)
})
