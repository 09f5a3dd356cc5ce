/**
 * Encryption with AES-256-GCM. The key of the record is authenticated, so an encrypted value cannot be moved to another
 * record.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomFillSync } from 'node:crypto'

import { SECRET_KEY_BYTES } from '../domain/secret-key.ts'
import { type BoundedCache, boundedCache } from '../lib/bounded-cache.ts'
import { keyedHash } from '../lib/keyed-hash.ts'

export interface Sealer {
  /** Encrypts a value. `plain` may be memory that the caller uses again after the call. */
  seal(recordKey: string, plain: Uint8Array): Buffer
  /** Decrypts a value. Throws if it was changed, moved to another record, or encrypted with another key. */
  open(recordKey: string, sealed: Uint8Array): Buffer
  /**
   * Returns 22 characters that replace a text in the key of a record. The same text gives the same characters, which
   * reveal nothing without the encryption key.
   */
  blind(text: string): string
  /**
   * Returns the same as `blind`, for a text that is used for a short time only. Such a text does not evict the texts of
   * `blind` from their cache.
   */
  blindOnce(text: string): string
}

/** Length of a key in bytes: one half encrypts values, the other half computes the hashes in record keys. */
export const RING_KEY_BYTES = 64

const VERSION = 1
/**
 * Length of an IV in bytes, which are random. If 2^32 values are encrypted with one key, a repeated IV is improbable
 * enough (NIST SP 800-38D, 8.3).
 */
const IV_BYTES = 12
const TAG_BYTES = 16
const BLIND_BYTES = 16
const HEAD_BYTES = 1 + IV_BYTES + TAG_BYTES
/** Random bytes that are requested at once, because the system takes as long for a single byte as for many. */
const POOL_BYTES = 341 * IV_BYTES
/**
 * Maximum number of hashes that are cached for long. An active chat uses the same few texts about fifteen times per
 * message.
 */
const MAX_BLIND = 4_096
/**
 * Maximum number of hashes that are cached for a short time: the events of one message need the same few within some
 * milliseconds.
 */
const MAX_BRIEF = 512
/** Number of bytes by which an encrypted value is longer than the plain value. */
export const SEAL_BYTES = HEAD_BYTES

/**
 * Caches of hashes. The instances of a thread share them, so that their size is bounded even with a thousand instances.
 */
export interface BlindCaches {
  lasting: BoundedCache<string, string>
  brief: BoundedCache<string, string>
}

export const createBlindCaches = (): BlindCaches => ({ lasting: boundedCache(MAX_BLIND), brief: boundedCache(MAX_BRIEF) })

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

const ALGORITHM = 'aes-256-gcm'
const OPTIONS = { authTagLength: TAG_BYTES }

/** Buffer of the current IV. A cipher copies the IV when it is created, so all ciphers can share this buffer. */
const IV = Buffer.alloc(IV_BYTES)

function putNextIv(): void {
  if (used === POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  used += IV_BYTES
  pool.copy(IV, 0, used - IV_BYTES, used)
}

const recordKeyScratch = Buffer.alloc(1_024)
/** Views of `recordKeyScratch`, by their length. They are reused, because record keys have few different lengths. */
const keyViews: Buffer[] = []

/** Returns the bytes of a record key. The result is valid until the next call. */
function bytesOf(recordKey: string): Buffer {
  if (recordKey.length * 3 > recordKeyScratch.length) return Buffer.from(recordKey)
  const length = recordKeyScratch.write(recordKey)
  const view = keyViews[length] ?? recordKeyScratch.subarray(0, length)
  keyViews[length] = view
  return view
}

let sealers = 0

/**
 * `key` has 64 bytes: the first half encrypts, and the second half computes hashes. If it has only 32 bytes, the second
 * half is derived from them.
 */
export function createSealer(key: Uint8Array, { lasting, brief }: BlindCaches = createBlindCaches()): Sealer {
  if (key.byteLength !== SECRET_KEY_BYTES && key.byteLength !== RING_KEY_BYTES)
    throw new RangeError(`a key has ${SECRET_KEY_BYTES} bytes, or ${RING_KEY_BYTES} in the key ring, not ${key.byteLength}`)
  // The key object is created once. If the bytes were passed instead, Node would create a key object for each
  // operation.
  const secret = createSecretKey(key.subarray(0, SECRET_KEY_BYTES))
  const names = key.byteLength === RING_KEY_BYTES ? key.subarray(SECRET_KEY_BYTES) : namesKeyOf(key)
  const own = `${sealers++}:`
  const hash = keyedHash(names, BLIND_BYTES)

  function blind(text: string, cache: BoundedCache<string, string>): string {
    const name = own + text
    const known = cache.get(name)
    if (known !== undefined) return known
    const made = hash(text)
    cache.set(name, made)
    return made
  }

  return {
    seal(recordKey, plain) {
      // The store would copy a value that is a view of a larger buffer, so this value gets a buffer of exactly its
      // size.
      const sealed = Buffer.allocUnsafeSlow(HEAD_BYTES + plain.byteLength)
      sealed[0] = VERSION
      putNextIv()
      sealed.set(IV, 1)
      const cipher = createCipheriv(ALGORITHM, secret, IV, OPTIONS)
      cipher.setAAD(bytesOf(recordKey))
      sealed.set(cipher.update(plain), HEAD_BYTES)
      // In this mode `update` returns all of the text, so `final` only computes the tag.
      cipher.final()
      sealed.set(cipher.getAuthTag(), 1 + IV_BYTES)
      return sealed
    },
    open(recordKey, sealed) {
      if (sealed.byteLength < HEAD_BYTES || sealed[0] !== VERSION)
        throw new Error(`${recordKey} is not a sealed record that this version can read`)
      const iv = sealed.subarray(1, 1 + IV_BYTES)
      const decipher = createDecipheriv(ALGORITHM, secret, iv, OPTIONS)
      decipher.setAAD(bytesOf(recordKey))
      decipher.setAuthTag(sealed.subarray(1 + IV_BYTES, HEAD_BYTES))
      try {
        const plain = decipher.update(sealed.subarray(HEAD_BYTES))
        decipher.final()
        return plain
      } catch (cause) {
        throw new Error(`${recordKey} cannot be opened: it was changed, or sealed with another secret key`, { cause })
      }
    },
    blind: (text) => blind(text, lasting),
    blindOnce: (text) => blind(text, brief),
  }
}

const namesKeyOf = (secretKey: Uint8Array) => createHmac('sha256', secretKey).update('names of records').digest()
