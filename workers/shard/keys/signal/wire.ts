/** Just enough protobuf to look into records and messages the module gives no access to, without decoding all of them. */

export interface Field {
  number: number
  /** Bytes of a length-delimited field; undefined for numbers. */
  bytes: Uint8Array | undefined
  /** Value of a varint field (exact up to 2^53); 0 for others. */
  value: number
}

/** Throws a RangeError where the bytes are not protobuf, as in a truncated record. */
export function* fields(message: Uint8Array): Generator<Field> {
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = message[at++]
      if (byte === undefined) throw new RangeError('the message ends inside a number')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw new RangeError('a number is too long')
  }
  const take = (length: number) => {
    if (at + length > message.length) throw new RangeError('the message ends inside a field')
    const bytes = message.subarray(at, at + length)
    at += length
    return bytes
  }
  while (at < message.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    if (number === 0) throw new RangeError('field 0 does not exist')
    switch (tag % 8) {
      case 0:
        yield { number, bytes: undefined, value: varint() }
        break
      case 1:
        take(8)
        break
      case 2:
        yield { number, bytes: take(varint()), value: 0 }
        break
      case 5:
        take(4)
        break
      default:
        throw new RangeError(`wire type ${tag % 8} is not in use`)
    }
  }
}

/** The last one wins, as in any protobuf parser. */
export function bytesOf(message: Uint8Array, number: number): Uint8Array | undefined {
  let found: Uint8Array | undefined
  for (const field of fields(message)) if (field.number === number && field.bytes) found = field.bytes
  return found
}

/** A length-delimited field. */
export function lengthDelimited(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varintBytes(number * 8 + 2), varintBytes(bytes.length), bytes])
}

function varintBytes(value: number): Uint8Array {
  const out: number[] = []
  let rest = value
  while (rest >= 0x80) {
    out.push((rest % 128) | 0x80)
    rest = Math.floor(rest / 128)
  }
  return Uint8Array.of(...out, rest)
}
