/** Encodes arrays in the binary form of PostgreSQL. `pg` would write them as escaped text of twice the length. */

const TYPES = { bytea: 17, text: 25, uuid: 2950 } as const
const HEADER = 12
const DIMENSION = 8

function arrayOf(
  type: keyof typeof TYPES,
  lengths: readonly number[],
  write: (out: Buffer, index: number, at: number) => void,
): Buffer {
  const isEmpty = lengths.length === 0
  const size = HEADER + (isEmpty ? 0 : DIMENSION) + lengths.reduce((sum, length) => sum + 4 + length, 0)
  const out = Buffer.allocUnsafe(size)
  // The header has the number of dimensions, whether a value is null, the type of the values, the length, and the first
  // index.
  out.writeInt32BE(isEmpty ? 0 : 1, 0)
  out.writeInt32BE(0, 4)
  out.writeInt32BE(TYPES[type], 8)
  if (isEmpty) return out
  out.writeInt32BE(lengths.length, HEADER)
  out.writeInt32BE(1, HEADER + 4)
  let at = HEADER + DIMENSION
  for (const [index, length] of lengths.entries()) {
    out.writeInt32BE(length, at)
    write(out, index, at + 4)
    at += 4 + length
  }
  return out
}

/** Encodes keys of records. They are ASCII, so a character is a byte. */
export const texts = (values: readonly string[]): Buffer =>
  arrayOf(
    'text',
    values.map(({ length }) => length),
    (out, index, at) => void out.write(values[index]!, at, 'latin1'),
  )

export const uuids = (values: readonly string[]): Buffer =>
  arrayOf(
    'uuid',
    values.map(() => 16),
    (out, index, at) => void out.write(values[index]!.replaceAll('-', ''), at, 'hex'),
  )

export const blobs = (values: readonly Uint8Array[]): Buffer =>
  arrayOf(
    'bytea',
    values.map(({ byteLength }) => byteLength),
    (out, index, at) => out.set(values[index]!, at),
  )

/**
 * Decodes bytes that are sent as hexadecimal text, because `pg` would decode binary results as UTF-8. The result is not
 * in Node's shared pool, because a cached value would keep the whole pool in memory.
 */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((text.length - 2) / 2)
  bytes.write(text.slice(2), 'hex')
  return bytes
}
