import { inflateSync } from 'node:zlib'
import * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import { decodeDecompressedBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/decode.js'
import { encodeBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/encode.js'
import type { BinaryNode } from './node.ts'

// Without this call, names that objects inherit, such as `constructor`, would be treated as tokens.
Object.setPrototypeOf(constants.TOKEN_MAP, null)

/** Bit of the first byte that is set if the rest is compressed with zlib. */
const COMPRESSED = 2

export function encodeNode(item: BinaryNode): Buffer {
  return encodeBinaryNode(item)
}

/** Decodes a frame synchronously, so that the stanzas stay in the order of their frames. */
export function decodeNode(payload: Buffer): BinaryNode {
  const body = payload.subarray(1)
  const plain = (payload[0] ?? 0) & COMPRESSED ? inflateSync(body) : body
  return decodeDecompressedBinaryNode(plain, constants)
}
