/** Creates a zip archive of a few small files (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16). */
import { gzipSync } from 'node:zlib'

export interface ZipEntry {
  name: string
  content: Uint8Array
}

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const DEFLATED = 8
/** The date 1980-01-01. Every archive has this date, so that the same files give the same archive. */
const DATE = 0x21

/**
 * Numbers of bytes before and after the data in gzip. The compressed data and the checksum of gzip are also those of
 * zip.
 */
const GZIP_HEADER = 10
const GZIP_TRAILER = 8

function record(...fields: readonly (readonly [size: 2 | 4, value: number])[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [size]) => sum + size, 0))
  let at = 0
  for (const [size, value] of fields) at = bytes.writeUIntLE(value, at, size)
  return bytes
}

export function zip(entries: readonly ZipEntry[]): Buffer<ArrayBuffer> {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content } of entries) {
    const packed = gzipSync(content, { level: 9 })
    const data = packed.subarray(GZIP_HEADER, -GZIP_TRAILER)
    const path = Buffer.from(name)
    const facts = [
      [2, VERSION],
      [2, 0],
      [2, DEFLATED],
      [2, 0],
      [2, DATE],
      [4, packed.readUInt32LE(packed.length - GZIP_TRAILER)],
      [4, data.length],
      [4, content.length],
      [2, path.length],
      [2, 0],
    ] as const
    const file = Buffer.concat([record([4, LOCAL], ...facts), path, data])
    files.push(file)
    directory.push(record([4, CENTRAL], [2, VERSION], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), path)
    offset += file.length
  }
  const index = Buffer.concat(directory)
  const count = entries.length
  return Buffer.concat([
    ...files,
    index,
    record([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, index.length], [4, offset], [2, 0]),
  ])
}
