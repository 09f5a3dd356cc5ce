/**
 * A message of a kind that is newer than the library: decoding drops its only field with content, and what is left is an empty message,
 * which is confirmed and means nothing. It is reported as unsupported, under the number of its field.
 */
import type { proto } from '@whiskeysockets/baileys'
import protobuf from 'protobufjs/minimal.js'

/** Fields that travel beside the content, by name and number. */
const ASIDE: Partial<Record<keyof proto.IMessage, number>> = {
  senderKeyDistributionMessage: 2,
  fastRatchetKeySenderKeyDistributionMessage: 15,
  messageContextInfo: 35,
}
const NUMBERS = new Set(Object.values(ASIDE))

/** Number of the first content field that decoding has dropped from these parts of a message; null when it knows the content. */
export function unknownField(message: proto.IMessage, plaintexts: Iterable<Uint8Array>): number | null {
  if (Object.keys(message).some((name) => !(name in ASIDE))) return null
  for (const plaintext of plaintexts) {
    const reader = protobuf.Reader.create(plaintext)
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (!NUMBERS.has(tag >>> 3)) return tag >>> 3
      reader.skipType(tag & 7)
    }
  }
  return null
}
