/** Reads fields of a protobuf message by their number, if the library has no definition for them. */

/** Wire types: the lowest three bits of a tag. */
export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
export const FIXED32 = 5

export class NotProtobuf extends Error {}

/**
 * Reads a varint. Undefined if the bytes do not contain all of it. A value above 2^53 is not exact; callers refuse
 * such a length.
 */
export function varint(bytes: Uint8Array, from: number): { value: number; end: number } | undefined {
  let value = 0
  for (let shift = 0; shift < 10; shift++) {
    const byte = bytes[from + shift]
    if (byte === undefined) return undefined
    value += (byte & 127) * 2 ** (7 * shift)
    if (byte < 128) return { value, end: from + shift + 1 }
  }
  throw new NotProtobuf('a number does not end')
}

export function fixed(type: number): number {
  if (type === FIXED64) return 8
  if (type === FIXED32) return 4
  throw new NotProtobuf('a field has an unknown type')
}

/**
 * If a field occurs several times, protobuf uses the last one. Null if the field is absent or the message is invalid.
 */
export function bytesField(message: Uint8Array, wanted: number): Uint8Array | null {
  let found: Uint8Array | null = null
  try {
    for (let at = 0; at < message.length; ) {
      const tag = varint(message, at)
      if (!tag) return null
      const type = tag.value % 8
      const start = type === BYTES ? varint(message, tag.end) : undefined
      if (type === BYTES && !start) return null
      const end = start ? start.end + start.value : type === VARINT ? varint(message, tag.end)?.end : tag.end + fixed(type)
      if (end === undefined || end > message.length) return null
      if (start && Math.floor(tag.value / 8) === wanted) found = message.subarray(start.end, end)
      at = end
    }
  } catch (error) {
    if (error instanceof NotProtobuf) return null
    throw error
  }
  return found
}
