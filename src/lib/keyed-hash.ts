/**
 * HMAC-SHA-256 of short texts with one key (RFC 2104). Node's `createHmac` creates an object with a finalizer for each
 * text and takes twice as long.
 */
import { createHmac } from 'node:crypto'
import { sha256 } from './sha256.ts'

/** Block size in bytes; the key fills the first block. */
const BLOCK = 64
const HASH_BYTES = 32
/** Maximum length in characters of a text for the fast computation below. Longer texts are hashed with `createHmac`. */
const MAX_TEXT = 256
/** Maximum number of bytes in UTF-8 for one code unit of a string. */
const MAX_BYTES = 3

/** Buffer that all keys share. It begins with 64 bytes that are derived from the key. */
const INNER = Buffer.alloc(BLOCK + MAX_BYTES * MAX_TEXT)
const OUTER = Buffer.alloc(BLOCK + HASH_BYTES)
const RESULT = Buffer.alloc(HASH_BYTES)

/** Returns the first `bytes` bytes of the HMAC as base64url. `key` has at most 64 bytes. */
export function keyedHash(key: Uint8Array, bytes: number): (text: string) => string {
  if (key.byteLength > BLOCK) throw new RangeError(`the HMAC key has ${key.byteLength} bytes; at most ${BLOCK} are supported`)
  const own = Uint8Array.from(key)
  const plain = (text: string) => createHmac('sha256', own).update(text).digest().toString('base64url', 0, bytes)
  const begun = (pad: number) => new Uint8Array(BLOCK).map((_, at) => (own[at] ?? 0) ^ pad)
  const [inner, outer] = [begun(0x36), begun(0x5c)]
  return (text) => {
    if (text.length > MAX_TEXT) return plain(text)
    INNER.set(inner)
    const end = BLOCK + INNER.write(text, BLOCK)
    // Each hash is a string with one character per byte, which costs half as much as a buffer.
    OUTER.set(outer)
    OUTER.write(sha256(INNER.subarray(0, end), 'binary'), BLOCK, 'binary')
    RESULT.write(sha256(OUTER, 'binary'), 'binary')
    return RESULT.toString('base64url', 0, bytes)
  }
}
