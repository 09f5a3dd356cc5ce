/**
 * Finds content of a kind that is newer than Baileys, whose decoder drops it. The message is reported as unsupported,
 * with the number of the field.
 */
import { proto } from '@whiskeysockets/baileys'
import protobuf from 'protobufjs/minimal.js'
import { MAX_DEPTH, unwrap, WRAPPERS } from './content.ts'

const BYTES = 2

interface EncodedField {
  number: number
  bytes: Uint8Array
  value: Uint8Array | null
}

function* fieldsOf(message: Uint8Array): Generator<EncodedField> {
  const reader = protobuf.Reader.create(message)
  while (reader.pos < reader.len) {
    const start = reader.pos
    const tag = reader.uint32()
    const type = tag & 7
    let value: Uint8Array | null = null
    if (type === BYTES) value = reader.bytes()
    else reader.skipType(type)
    yield { number: tag >>> 3, bytes: message.subarray(start, reader.pos), value }
  }
}

const WRAPPER_NUMBERS = new Map(
  WRAPPERS.map((name) => {
    const [number, inner] = numbersOf(proto.Message.encode({ [name]: { message: {} } }).finish())
    return [number, inner] as const
  }),
)

function numbersOf(message: Uint8Array): number[] {
  const [field] = fieldsOf(message)
  return field ? [field.number, ...numbersOf(field.value ?? new Uint8Array())] : []
}

export function unknownField(message: proto.IMessage, plaintexts: Iterable<Uint8Array>): number | null {
  if (unwrap(message)) return null
  for (const plaintext of plaintexts) {
    const number = droppedFrom(plaintext, MAX_DEPTH)
    if (number !== null) return number
  }
  return null
}

function droppedFrom(message: Uint8Array, depth: number): number | null {
  const known = new Set<number>()
  const wrapped = new Map<number, Uint8Array>()
  for (const { number, bytes, value } of fieldsOf(message)) {
    const inner = WRAPPER_NUMBERS.get(number)
    if (inner !== undefined && value) wrapped.set(number, lastOf(value, inner))
    else if (!known.has(number) && Object.keys(proto.Message.decode(bytes)).length === 0) return number
    // A malicious message may repeat one field half a million times, so the numbers are in a set.
    else known.add(number)
  }
  if (depth > 0)
    for (const inner of wrapped.values()) {
      const number = droppedFrom(inner, depth - 1)
      if (number !== null) return number
    }
  return null
}

function lastOf(message: Uint8Array, number: number): Uint8Array {
  let last: Uint8Array = new Uint8Array()
  for (const field of fieldsOf(message)) if (field.number === number && field.value) last = field.value
  return last
}
