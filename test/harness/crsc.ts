/**
 * Implements the cryptography of linking with a passkey, with WebCrypto. It shares no code with the gateway or the
 * simulator, so tests with it find an error that both contain.
 */

import type { webcrypto } from 'node:crypto'

const { subtle } = globalThis.crypto

export type Bytes = Uint8Array<ArrayBuffer>

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes
export const random = (length: number): Bytes => globalThis.crypto.getRandomValues(new Uint8Array(length))
export const bytes = (from: Uint8Array): Bytes => Uint8Array.from(from)
export const hex = (text: string): Bytes => bytes(Buffer.from(text, 'hex'))
export const isEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

export function joined(...parts: Uint8Array[]): Bytes {
  return bytes(Buffer.concat(parts))
}

export const sha256 = async (...parts: Uint8Array[]) => new Uint8Array(await subtle.digest('SHA-256', joined(...parts)))

export async function hkdf(secret: Bytes, info: string, salt: Bytes = new Uint8Array(32)): Promise<Bytes> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return new Uint8Array(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info: utf8(info) }, key, 256))
}

export async function hmac(key: Bytes, data: Bytes): Promise<Bytes> {
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await subtle.sign('HMAC', imported, data))
}

export interface EphemeralPair {
  privateKey: webcrypto.CryptoKey
  publicKey: Bytes
}

/** Header of an X25519 private key in PKCS #8. */
const PKCS8 = hex('302e020100300506032b656e04220420')

export async function newEphemeral(): Promise<EphemeralPair> {
  const pair = (await subtle.generateKey({ name: 'X25519' }, true, ['deriveBits'])) as webcrypto.CryptoKeyPair
  return { privateKey: pair.privateKey, publicKey: new Uint8Array(await subtle.exportKey('raw', pair.publicKey)) }
}

export async function ephemeralOf(secret: Bytes, publicKey: Bytes): Promise<EphemeralPair> {
  const privateKey = await subtle.importKey('pkcs8', joined(PKCS8, secret), { name: 'X25519' }, false, ['deriveBits'])
  return { privateKey, publicKey }
}

/**
 * Returns the secret that both sides share (X25519). Throws if the secret is zero, because some malicious public keys
 * make it zero for every private key.
 */
export async function agree({ privateKey }: EphemeralPair, theirs: Bytes): Promise<Bytes> {
  const publicKey = await subtle.importKey('raw', theirs, { name: 'X25519' }, false, [])
  const shared = new Uint8Array(await subtle.deriveBits({ name: 'X25519', public: publicKey }, privateKey, 256))
  if (shared.every((byte) => byte === 0)) throw new Error('the shared secret of the key agreement is zero')
  return shared
}

const gcmKey = (key: Bytes) => subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt'])

export const seal = async (key: Bytes, iv: Bytes, plain: Bytes) =>
  new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv }, await gcmKey(key), plain))

export const unseal = async (key: Bytes, iv: Bytes, sealed: Bytes) =>
  new Uint8Array(await subtle.decrypt({ name: 'AES-GCM', iv }, await gcmKey(key), sealed))

export const handoffKey = (advSecret: Bytes) => hkdf(advSecret, 'shortcake-passkey-handoff-v1')

export const encryptionKey = (shared: Bytes, deviceType: number, ref: string) =>
  hkdf(shared, 'Pairing Information Encryption Key', utf8(`Companion Pairing ${deviceType} with ref ${ref}`))

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'

/** Computes the confirmation code: eight letters of five bits each, the most significant first, in two groups. */
export async function codeOf(primaryNonce: Bytes, companionNonce: Bytes, primaryKey: Bytes): Promise<string> {
  const mask = await sha256(companionNonce, primaryKey)
  const bits = [...primaryNonce.subarray(0, 5)].map((byte, at) => (byte ^ mask[at]!).toString(2).padStart(8, '0')).join('')
  const letters = bits.match(/.{5}/g)!.map((five) => LETTERS[Number.parseInt(five, 2)]!)
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** Encodes a protobuf message with these fields in this order. A value is bytes, text, or a small integer. */
export function protobuf(fields: [number, Uint8Array | string | number][]): Bytes {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number << 3), varint(value)]
    const content = typeof value === 'string' ? utf8(value) : value
    return [varint((number << 3) | 2), varint(content.length), content]
  })
  return joined(...parts)
}

function varint(value: number): Bytes {
  const out: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return new Uint8Array([...out, rest])
    out.push((rest & 0x7f) | 0x80)
  }
}

/**
 * Returns the fields of a protobuf message by their numbers. Only length-delimited values and small integers are read,
 * because these messages contain no others.
 */
export function readProtobuf(message: Uint8Array): Map<number, Bytes | number> {
  const fields = new Map<number, Bytes | number>()
  let at = 0
  function number(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++]
      if (byte === undefined || shift > 28) throw new Error('a protobuf that breaks off')
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
  }
  function content(length: number): Bytes {
    const end = at + length
    if (end > message.length) throw new Error('a protobuf that breaks off')
    const found = bytes(message.subarray(at, end))
    at = end
    return found
  }
  while (at < message.length) {
    const tag = number()
    const value = number()
    if ((tag & 7) === 0) fields.set(tag >>> 3, value)
    else if ((tag & 7) === 2) fields.set(tag >>> 3, content(value))
    else throw new Error(`a field has the unsupported wire type ${tag & 7}`)
  }
  return fields
}

export function bytesAt(fields: Map<number, Bytes | number>, number: number, length?: number): Bytes {
  const value = fields.get(number)
  if (!(value instanceof Uint8Array)) throw new Error(`field ${number} has no bytes`)
  if (length !== undefined && value.length !== length) throw new Error(`field ${number} has ${value.length} bytes, not ${length}`)
  return value
}
