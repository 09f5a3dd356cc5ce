import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { Trust } from './certificate.ts'
import { INTRO } from './frames.ts'
import { agree, generateKeyPair, hkdf } from './keys.ts'

/** Exactly 32 bytes, so the protocol name is the first hash as it stands. */
const PROTOCOL = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
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

/** Both directions after the handshake: own key and own counter each, no associated data. */
export interface Transport {
  encrypt(data: Uint8Array): Buffer
  decrypt(data: Buffer): Buffer
}

export interface ClientHandshake {
  /** The device's long-term Noise public key: stored at pairing, required at every login. */
  staticKey: Buffer
  payload: proto.ClientPayload
  transport: Transport
}

export interface Responder {
  /** Answers the client's hello with the server's. */
  hello(message: Buffer, forged?: 'root' | 'leaf'): Buffer
  finish(message: Buffer): ClientHandshake
}

/** Responder of Noise_XX_25519_AESGCM_SHA256, for one connection. */
export function createResponder(trust: Trust): Responder {
  let hash = PROTOCOL
  let salt: Buffer = PROTOCOL
  let key: Buffer = PROTOCOL
  let counter = 0
  const ephemeral = generateKeyPair()

  function mix(data: Uint8Array) {
    hash = createHash('sha256').update(hash).update(data).digest() as Buffer<ArrayBuffer>
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

  mix(INTRO)
  return {
    hello(message, forged) {
      const theirs = proto.HandshakeMessage.decode(message).clientHello?.ephemeral
      if (!theirs) throw new Error('the client hello has no ephemeral key')
      mix(theirs)
      mix(ephemeral.publicKey)
      mixKey(agree(ephemeral, theirs))
      const staticKey = encrypt(trust.serverKey.publicKey)
      mixKey(agree(trust.serverKey, theirs))
      const payload = encrypt(trust.chain(forged))
      const serverHello = { ephemeral: ephemeral.publicKey, static: staticKey, payload }
      return Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish())
    },
    finish(message) {
      const finish = proto.HandshakeMessage.decode(message).clientFinish
      if (!finish?.static || !finish.payload) throw new Error('the client did not finish the handshake')
      const staticKey = decrypt(finish.static)
      mixKey(agree(ephemeral, staticKey))
      const payload = proto.ClientPayload.decode(decrypt(finish.payload))
      const last = hkdf(NOTHING, 64, salt, '')
      return { staticKey, payload, transport: createTransport(last.subarray(0, 32), last.subarray(32)) }
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
