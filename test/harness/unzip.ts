/**
 * Reads a zip archive from its directory at the end, as programs that extract archives do, and makes the same checks as
 * they do.
 */
import assert from 'node:assert/strict'
import { gzipSync, inflateRawSync } from 'node:zlib'

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50

const crcOf = (content: Buffer) => {
  const packed = gzipSync(content)
  return packed.readUInt32LE(packed.length - 8)
}

export function unzip(archive: Buffer): Record<string, string> {
  const end = archive.length - 22
  assert.equal(archive.readUInt32LE(end), END)
  const files: Record<string, string> = {}
  let at = archive.readUInt32LE(end + 16)
  assert.equal(at + archive.readUInt32LE(end + 12), end, 'the directory ends where the record of the end begins')
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(archive.readUInt32LE(at), CENTRAL)
    const [method, crc, packedSize, size] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
    ]
    const nameLength = archive.readUInt16LE(at + 28)
    const local = archive.readUInt32LE(at + 42)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    assert.equal(archive.readUInt32LE(local), LOCAL)
    // A file has two headers, which must be equal from the signature to the extra field.
    assert.deepEqual(archive.subarray(local + 4, local + 30), archive.subarray(at + 6, at + 32), name)
    const data = local + 30 + nameLength
    assert.equal(method, 8)
    const content = inflateRawSync(archive.subarray(data, data + packedSize))
    assert.deepEqual([content.length, crcOf(content)], [size, crc], name)
    files[name] = content.toString('utf8')
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  assert.equal(at, end)
  return files
}
