import { inflateSync } from 'node:zlib'
import * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import { type BinaryNode, decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/index.js'

// The table loses its prototype, because property names that every object inherits are not tokens: an id may be
// `constructor`.
Object.setPrototypeOf(constants.TOKEN_MAP, null)

/** Bit of the first payload byte if the rest is compressed with zlib. */
const COMPRESSED = 2

export function encodeNode(item: BinaryNode): Buffer {
  return encodeBinaryNode(item)
}

/** Decodes a frame synchronously, so that nodes stay in the order of their frames. */
export function decodeNode(payload: Buffer): BinaryNode {
  const body = payload.subarray(1)
  const plain = (payload[0] ?? 0) & COMPRESSED ? inflateSync(body) : body
  return decodeDecompressedBinaryNode(plain, constants)
}
