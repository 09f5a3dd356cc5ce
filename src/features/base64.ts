/**
 * Strict base64 (RFC 4648: standard alphabet, padding, nothing between) to bytes, in plain JavaScript: features use Web APIs only, and
 * `atob` of Node 20 takes seconds where this takes a fifth of one, and accepts line breaks.
 */
/** Negative however far it is shifted, as nothing made of digits is. */
const NOT_A_DIGIT = -1
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Int8Array(256).fill(NOT_A_DIGIT)
for (let value = 0; value < DIGITS.length; value++) VALUES[DIGITS.charCodeAt(value)] = value

/** Bytes that `length` characters stand for, before anything is decoded. */
export function decodedSize(text: string, from = 0): number {
  const length = text.length - from
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (length / 4) * 3 - padding
}

/** Undefined when it is not base64. */
export function decodeBase64(text: string, from = 0): Uint8Array<ArrayBuffer> | undefined {
  if ((text.length - from) % 4 !== 0) return undefined
  const size = decodedSize(text, from)
  if (size < 0) return undefined
  const bytes = new Uint8Array(size)
  const whole = size - (size % 3)
  let read = from
  let at = 0
  // A character that is no digit makes it negative: looked at once, at the end, because there are millions of them.
  let seen = 0
  for (; at < whole; at += 3, read += 4) {
    const bits =
      (valueAt(text, read) << 18) | (valueAt(text, read + 1) << 12) | (valueAt(text, read + 2) << 6) | valueAt(text, read + 3)
    seen |= bits
    bytes[at] = bits >> 16
    bytes[at + 1] = bits >> 8
    bytes[at + 2] = bits
  }
  if (at < size) {
    const bits =
      (valueAt(text, read) << 18) | (valueAt(text, read + 1) << 12) | (size - at === 2 ? valueAt(text, read + 2) << 6 : 0)
    seen |= bits
    bytes[at] = bits >> 16
    if (size - at === 2) bytes[at + 1] = bits >> 8
  }
  return seen < 0 ? undefined : bytes
}

const valueAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code < 256 ? VALUES[code]! : NOT_A_DIGIT
}
