/**
 * HMAC-SHA-256 of short texts under one key (RFC 2104: a hash of a hash, each begun with the key). Node's `createHmac` makes an object with a
 * finalizer for each text and takes twice as long.
 */
import { createHmac } from 'node:crypto'
import { sha256 } from './sha256.ts'

/** Of the hash's input, in bytes: the key fills the first. */
const BLOCK = 64
const HASH_BYTES = 32
/** Characters; a longer text is rare, and has no place here. */
const MAX_TEXT = 256
/** The most that a character takes, in UTF-8. */
const MAX_BYTES = 3

/** What the hashes are made of, of all keys in turn: each begins with 64 bytes of its key's. */
const INNER = Buffer.alloc(BLOCK + MAX_BYTES * MAX_TEXT)
const OUTER = Buffer.alloc(BLOCK + HASH_BYTES)
const RESULT = Buffer.alloc(HASH_BYTES)

/** `key`: at most 64 bytes. What is returned gives the first `bytes` of a text's HMAC as base64url. */
export function keyedHash(key: Uint8Array, bytes: number): (text: string) => string {
  if (key.byteLength > BLOCK) throw new RangeError(`a key of ${key.byteLength} bytes is longer than a block`)
  const own = Uint8Array.from(key)
  const plain = (text: string) => createHmac('sha256', own).update(text).digest().toString('base64url', 0, bytes)
  const begun = (pad: number) => new Uint8Array(BLOCK).map((_, at) => (own[at] ?? 0) ^ pad)
  const [inner, outer] = [begun(0x36), begun(0x5c)]
  return (text) => {
    if (text.length > MAX_TEXT) return plain(text)
    INNER.set(inner)
    const end = BLOCK + INNER.write(text, BLOCK)
    // As texts of one character a byte: they cost half of what a buffer does.
    OUTER.set(outer)
    OUTER.write(sha256(INNER.subarray(0, end), 'binary'), BLOCK, 'binary')
    RESULT.write(sha256(OUTER, 'binary'), 'binary')
    return RESULT.toString('base64url', 0, bytes)
  }
}
