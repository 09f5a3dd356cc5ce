/**
 * Writes the publisher of a sticker into the EXIF chunk of the WebP, with a TIFF tag that the network defines. sharp
 * cannot write this tag, and encoding the sticker again would reduce its quality.
 */
import { randomBytes } from 'node:crypto'
import { invalid } from './content.ts'

/**
 * Head of the EXIF data: the TIFF header, little-endian, and one entry with tag 0x5741 ("AW"), type 7 (bytes), its
 * length, and the offset of the value, 22.
 */
const TIFF = Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 1, 0, 0x41, 0x57, 7, 0, 0, 0, 0, 0, 0x16, 0, 0, 0])
const LENGTH_AT = 14

const HAS_EXIF = 0x08
const HAS_ALPHA = 0x10
const RIFF_HEAD = 12

interface Chunk {
  name: string
  data: Buffer
}

export function withPublisher(webp: Buffer, publisher: string): Buffer {
  const chunks = chunksOf(webp).filter(({ name }) => name !== 'EXIF')
  const head = chunks.find(({ name }) => name === 'VP8X')
  const extended = head ? chunks : [{ name: 'VP8X', data: extendedHead(chunks) }, ...chunks]
  const flags = extended[0]!.data
  flags[0] = flags[0]! | HAS_EXIF
  const body = [...extended, { name: 'EXIF', data: exifOf(publisher) }].flatMap(encode)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(4 + body.reduce((sum, part) => sum + part.length, 0))
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), ...body])
}

function exifOf(publisher: string): Buffer {
  const json = Buffer.from(
    JSON.stringify({
      'sticker-pack-id': randomBytes(16).toString('hex'),
      'sticker-pack-name': '',
      'sticker-pack-publisher': publisher,
      emojis: [],
    }),
  )
  const head = Buffer.from(TIFF)
  head.writeUInt32LE(json.length, LENGTH_AT)
  return Buffer.concat([head, json])
}

export function chunksOf(webp: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = RIFF_HEAD; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4)
    if (at + 8 + size > webp.length) throw invalid('The sticker is cut off.')
    chunks.push({ name: webp.toString('latin1', at, at + 4), data: Buffer.from(webp.subarray(at + 8, at + 8 + size)) })
    at += 8 + size + (size % 2)
  }
  return chunks
}

function encode({ name, data }: Chunk): Buffer[] {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  return [Buffer.from(name, 'latin1'), size, data, Buffer.alloc(data.length % 2)]
}

/** Builds the head that a simple file lacks: flags, then width and height minus one in 24 bits each. */
function extendedHead(chunks: readonly Chunk[]): Buffer {
  const [picture] = chunks
  const head = Buffer.alloc(10)
  let size: { width: number; height: number }
  if (picture?.name === 'VP8 ' && picture.data.length >= 10) {
    size = { width: picture.data.readUInt16LE(6) & 0x3fff, height: picture.data.readUInt16LE(8) & 0x3fff }
  } else if (picture?.name === 'VP8L' && picture.data.length >= 5) {
    const bits = picture.data.readUInt32LE(1)
    size = { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    if ((bits >>> 28) & 1) head[0] = HAS_ALPHA
  } else {
    throw invalid('The sticker is no WebP picture.')
  }
  head.writeUIntLE(size.width - 1, 4, 3)
  head.writeUIntLE(size.height - 1, 7, 3)
  return head
}
