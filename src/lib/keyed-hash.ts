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

/** `key`: at most 64 bytes. What is returned gives the first `bytes` of a text's HMAC as base64url. */
export function keyedHash(key: Uint8Array, bytes: number): (text: string) => string {
  if (key.byteLength > BLOCK) throw new RangeError(`a key of ${key.byteLength} bytes is longer than a block`)
  const own = Uint8Array.from(key)
  const plain = (text: string) => createHmac('sha256', own).update(text).digest().toString('base64url', 0, bytes)
  const begun = (pad: number, room: number) =>
    Buffer.concat([Buffer.alloc(BLOCK).map((_, at) => (own[at] ?? 0) ^ pad), Buffer.alloc(room)])
  const inner = begun(0x36, MAX_BYTES * MAX_TEXT)
  const outer = begun(0x5c, HASH_BYTES)
  const result = Buffer.alloc(HASH_BYTES)
  return (text) => {
    if (text.length > MAX_TEXT) return plain(text)
    const end = BLOCK + inner.write(text, BLOCK)
    // As texts of one character a byte: they cost half of what a buffer does.
    outer.write(sha256(inner.subarray(0, end), 'binary'), BLOCK, 'binary')
    result.write(sha256(outer, 'binary'), 'binary')
    return result.toString('base64url', 0, bytes)
  }
}
