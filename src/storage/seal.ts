/**
 * Encryption at rest: AES-256-GCM. The record's key is authenticated with it, so that a sealed value cannot be moved to another record.
 * Which keys there are, and what seals them in turn, is in `key-ring.ts`.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomFillSync } from 'node:crypto'

import { SECRET_KEY_BYTES } from '../domain/secret-key.ts'
import { keyedHash } from '../lib/keyed-hash.ts'

export interface Sealer {
  seal(recordKey: string, plain: Uint8Array): Buffer
  /** Throws when the value was changed, moved to another record, or sealed with another key. */
  open(recordKey: string, sealed: Uint8Array): Buffer
  /** 22 characters that stand for a text in the key of a record: the same for the same text, and revealing nothing without the key. */
  blind(text: string): string
  /** The same for a text that is used a few times within a moment: it takes no room among those that are remembered for longer. */
  blindOnce(text: string): string
}

/** A key of the key ring: one half seals, the other makes blind names. */
export const RING_KEY_BYTES = 64

const VERSION = 1
/** Random 96 bits: with one key, 2^32 values stay far below the chance of a repetition that matters (NIST SP 800-38D, 8.3). */
const IV_BYTES = 12
const TAG_BYTES = 16
const BLIND_BYTES = 16
const HEAD_BYTES = 1 + IV_BYTES + TAG_BYTES
/** Random bytes taken at once: a call of the system's generator costs as much for one byte as for these. */
const POOL_BYTES = 341 * IV_BYTES
/** Texts whose blind form is remembered: an active chat asks for the same few some fifteen times per message. */
const MAX_BLIND = 4_096
/** Of each sealer: the events of one message ask for the same few names within some milliseconds. */
const MAX_BRIEF = 32
/** By which a sealed value is longer than the plain one. */
export const SEAL_BYTES = HEAD_BYTES

/** Blind names of all sealers of a thread together: one map, so that a thread with a thousand instances is bounded, too. */
export type BlindCache = Map<string, string>

/** Each part of the pool is given out once. Random bytes belong to nobody, so all sealers of a thread take from the same. */
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

function nextIv(): Buffer {
  if (used === POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  used += IV_BYTES
  return pool.subarray(used - IV_BYTES, used)
}

let sealers = 0

/** Of 64 bytes, or of a secret key of 32, from which the half for names is derived. */
export function createSealer(key: Uint8Array, blinded: BlindCache = new Map()): Sealer {
  if (key.byteLength !== SECRET_KEY_BYTES && key.byteLength !== RING_KEY_BYTES)
    throw new RangeError(`a key has ${SECRET_KEY_BYTES} bytes, or ${RING_KEY_BYTES} in the key ring, not ${key.byteLength}`)
  // Read once: of bytes each use would make a key again.
  const secret = createSecretKey(key.subarray(0, SECRET_KEY_BYTES))
  const names = key.byteLength === RING_KEY_BYTES ? key.subarray(SECRET_KEY_BYTES) : namesKeyOf(key)
  const own = `${sealers++}:`

  const brief = new Map<string, string>()
  const made = keyedHash(names, BLIND_BYTES)

  return {
    seal(recordKey, plain) {
      const iv = nextIv()
      const cipher = createCipheriv('aes-256-gcm', secret, iv, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(recordKey))
      const text = cipher.update(plain)
      const rest = cipher.final()
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), text, rest])
    },
    open(recordKey, sealed) {
      if (sealed.byteLength < HEAD_BYTES || sealed[0] !== VERSION)
        throw new Error(`${recordKey} is not a sealed record that this version can read`)
      const iv = sealed.subarray(1, 1 + IV_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', secret, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(recordKey))
      decipher.setAuthTag(sealed.subarray(1 + IV_BYTES, HEAD_BYTES))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()])
      } catch (cause) {
        throw new Error(`${recordKey} cannot be opened: it was changed, or sealed with another secret key`, { cause })
      }
    },
    blindOnce(text) {
      const known = brief.get(text)
      if (known !== undefined) return known
      const blind = made(text)
      if (brief.size >= MAX_BRIEF) brief.delete(brief.keys().next().value!)
      brief.set(text, blind)
      return blind
    },
    blind(text) {
      const name = own + text
      const known = blinded.get(name)
      if (known !== undefined) return known
      const blind = made(text)
      if (blinded.size >= MAX_BLIND) blinded.delete(blinded.keys().next().value!)
      blinded.set(name, blind)
      return blind
    },
  }
}

/** The key for names of records in stores of 0.1.0, in which the secret key sealed everything itself. */
export const namesKeyOf = (secretKey: Uint8Array) => createHmac('sha256', secretKey).update('names of records').digest()
