import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { INTRO } from './frame-splitter.ts'
import { agree, generateKeyPair, hkdf } from './keys.ts'
import type { Trust } from './trust.ts'

/** Names of the protocols. A name that has 32 bytes is the first hash itself, and a longer one is hashed. */
const XX = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
const IK = Buffer.from('Noise_IK_25519_AESGCM_SHA256\0\0\0\0')
const XX_FALLBACK = createHash('sha256').update('Noise_XXfallback_25519_AESGCM_SHA256').digest()
const TAG = 16
const NOTHING = Buffer.alloc(0)

function nonce(counter: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUInt32BE(counter, 8)
  return iv
}

function seal(key: Buffer, counter: number, data: Uint8Array, aad: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(counter))
  cipher.setAAD(aad)
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])
}

function open(key: Buffer, counter: number, data: Buffer, aad: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(counter))
  decipher.setAAD(aad)
  decipher.setAuthTag(data.subarray(data.length - TAG))
  return Buffer.concat([decipher.update(data.subarray(0, data.length - TAG)), decipher.final()])
}

/**
 * Encrypts and decrypts frames after the handshake. Each direction has its own key and counter. There is no associated
 * data.
 */
export interface Transport {
  encrypt(data: Uint8Array): Buffer
  decrypt(data: Buffer): Buffer
}

export interface ClientHandshake {
  /** The device's long-term key, which is stored at the pairing and required at every login. */
  staticKey: Buffer
  payload: proto.ClientPayload
  transport: Transport
}

export interface NoiseResponder {
  /**
   * Answers the first message of a client. A client that knows the server's key sends everything in its hello (IK):
   * `client` is then set, and `finish` is not called. If it knows a wrong key, or if a forged certificate must be
   * shown, a new handshake begins (XXfallback).
   */
  hello(message: Buffer, forged?: 'root' | 'leaf'): { answer: Buffer; client?: ClientHandshake }
  finish(message: Buffer): ClientHandshake
}

export function createNoiseResponder(trust: Trust): NoiseResponder {
  let hash: Buffer
  let salt: Buffer
  let key: Buffer
  let counter = 0
  const ephemeral = generateKeyPair()

  function begin(protocol: Buffer) {
    hash = protocol
    salt = protocol
    key = protocol
    counter = 0
    mix(INTRO)
  }
  function mix(data: Uint8Array) {
    hash = createHash('sha256').update(hash).update(data).digest()
  }
  function mixKey(secret: Buffer) {
    const mixed = hkdf(secret, 64, salt, '')
    salt = mixed.subarray(0, 32)
    key = mixed.subarray(32)
    counter = 0
  }
  function encrypt(data: Uint8Array): Buffer {
    const sealed = seal(key, counter++, data, hash)
    mix(sealed)
    return sealed
  }
  function decrypt(data: Uint8Array): Buffer {
    const opened = open(key, counter++, Buffer.from(data), hash)
    mix(data)
    return opened
  }
  function client(staticKey: Buffer, payload: Buffer): ClientHandshake {
    const last = hkdf(NOTHING, 64, salt, '')
    return {
      staticKey,
      payload: proto.ClientPayload.decode(payload),
      transport: createTransport(last.subarray(0, 32), last.subarray(32)),
    }
  }
  const written = (serverHello: proto.HandshakeMessage.IServerHello) =>
    Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish())

  function fresh(protocol: Buffer, theirs: Uint8Array, forged?: 'root' | 'leaf') {
    begin(protocol)
    mix(theirs)
    mix(ephemeral.publicKey)
    mixKey(agree(ephemeral, theirs))
    const staticKey = encrypt(trust.serverKey.publicKey)
    mixKey(agree(trust.serverKey, theirs))
    const payload = encrypt(trust.chain(forged))
    return { answer: written({ ephemeral: ephemeral.publicKey, static: staticKey, payload }) }
  }

  function resumed(theirs: Uint8Array, sealedKey: Uint8Array, sealedPayload: Uint8Array) {
    begin(IK)
    mix(trust.serverKey.publicKey)
    mix(theirs)
    mixKey(agree(trust.serverKey, theirs))
    const staticKey = decrypt(sealedKey)
    mixKey(agree(trust.serverKey, staticKey))
    const said = decrypt(sealedPayload)
    mix(ephemeral.publicKey)
    mixKey(agree(ephemeral, theirs))
    mixKey(agree(ephemeral, staticKey))
    const payload = encrypt(trust.chain())
    return { answer: written({ ephemeral: ephemeral.publicKey, payload }), client: client(staticKey, said) }
  }

  return {
    hello(message, forged) {
      const { ephemeral: theirs, static: sealedKey, payload } = proto.HandshakeMessage.decode(message).clientHello ?? {}
      if (!theirs) throw new Error('the client hello has no ephemeral key')
      if (!sealedKey?.length || !payload?.length) return fresh(XX, theirs, forged)
      if (forged) return fresh(XX_FALLBACK, theirs, forged)
      try {
        return resumed(theirs, sealedKey, payload)
      } catch {
        // The client encrypted its hello for another key of the server, so the fallback handshake follows.
        return fresh(XX_FALLBACK, theirs)
      }
    },
    finish(message) {
      const finish = proto.HandshakeMessage.decode(message).clientFinish
      if (!finish?.static || !finish.payload) throw new Error('the client did not finish the handshake')
      const staticKey = decrypt(finish.static)
      mixKey(agree(ephemeral, staticKey))
      return client(staticKey, decrypt(finish.payload))
    },
  }
}

function createTransport(readKey: Buffer, writeKey: Buffer): Transport {
  let read = 0
  let written = 0
  return {
    encrypt: (data) => seal(writeKey, written++, data, NOTHING),
    decrypt: (data) => open(readKey, read++, data, NOTHING),
  }
}
