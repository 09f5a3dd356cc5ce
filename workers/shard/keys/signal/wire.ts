/** A minimal protobuf reader, for records and messages that the module does not expose. */

const [VARINT, FIXED_64, LENGTH_DELIMITED, FIXED_32] = [0, 1, 2, 5]

/** Reads fields without an object per field, because each operation reads its session several times. */
export class FieldReader {
  readonly #message: Uint8Array
  #at = 0
  #from = -1
  number = 0
  value = 0

  constructor(message: Uint8Array) {
    this.#message = message
  }

  get bytes(): Uint8Array | undefined {
    return this.#from < 0 ? undefined : this.#message.subarray(this.#from, this.#at)
  }

  /** Moves to the next field; false if there is none. Throws a RangeError if the bytes are not protobuf. */
  next(): boolean {
    while (this.#at < this.#message.length) {
      const tag = this.#varint()
      this.number = Math.floor(tag / 8)
      if (this.number === 0)
        throw new RangeError('the message is malformed: it has a field with the number 0, which protobuf does not allow')
      this.value = 0
      this.#from = -1
      switch (tag % 8) {
        case VARINT:
          this.value = this.#varint()
          return true
        case LENGTH_DELIMITED: {
          const length = this.#varint()
          this.#from = this.#at
          this.#skip(length)
          return true
        }
        case FIXED_64:
          this.#skip(8)
          break
        case FIXED_32:
          this.#skip(4)
          break
        default:
          throw new RangeError(
            `the message is malformed: it has a field of wire type ${tag % 8}, which protobuf no longer allows`,
          )
      }
    }
    return false
  }

  #varint(): number {
    let value = 0
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = this.#message[this.#at++]
      if (byte === undefined) throw new RangeError('the message ends inside a number')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw new RangeError('a number is too long')
  }

  #skip(length: number): void {
    if (this.#at + length > this.#message.length) throw new RangeError('the message ends inside a field')
    this.#at += length
  }
}

/** Throws a RangeError if these bytes are not a protobuf. */
export function checkFields(message: Uint8Array): void {
  const reader = new FieldReader(message)
  while (reader.next());
}

/** Returns the bytes of a field. If it occurs several times, the last one is returned, as in any protobuf parser. */
export function bytesOf(message: Uint8Array, number: number): Uint8Array | undefined {
  let found: Uint8Array | undefined
  const reader = new FieldReader(message)
  while (reader.next()) if (reader.number === number) found = reader.bytes ?? found
  return found
}

export function allBytesOf(message: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = []
  const reader = new FieldReader(message)
  while (reader.next()) if (reader.number === number && reader.bytes) found.push(reader.bytes)
  return found
}

/** Returns the number in a field, or 0 if the field is absent, as in protobuf. */
export function numberIn(message: Uint8Array, number: number): number {
  let found = 0
  const reader = new FieldReader(message)
  while (reader.next()) if (reader.number === number) found = reader.value
  return found
}

export function lengthDelimited(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varintBytes(number * 8 + 2), varintBytes(bytes.length), bytes])
}

/** Encodes a varint field. Throws a RangeError for negative and fractional values, because they cannot be a varint. */
export function varintField(number: number, value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot be written as a varint`)
  return Buffer.concat([varintBytes(number * 8), varintBytes(value)])
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
