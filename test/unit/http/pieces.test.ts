import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { joined } from '../../../src/domain/bytes.ts'
import { createPieces } from '../../../src/http/pieces.ts'

const numbered = (size: number, from = 0) => Uint8Array.from({ length: size }, (_, index) => (index + from) % 251)

suite('pieces of a body', () => {
  test('are all of it, in order, whatever their sizes', () => {
    const sizes = [1, 70_000, 3, 16_384, 16_383, 40_000, 16_383, 16_383, 16_383, 16_383, 65_536, 0, 9]
    const pieces = createPieces()
    let at = 0
    for (const size of sizes) {
      pieces.add(numbered(size, at))
      at += size
    }
    assert.deepEqual(joined(pieces.all()), numbered(at))
  })

  test('can each be given away: nothing else is in their buffers', () => {
    const shared = numbered(100_000).buffer
    const pieces = createPieces()
    pieces.add(new Uint8Array(shared, 0, 50_000))
    pieces.add(new Uint8Array(shared, 50_000, 10))
    pieces.add(Buffer.from(shared, 50_010, 49_990))
    const all = pieces.all()
    const whole = joined(all.map((piece) => piece.slice()))
    for (const piece of all) assert.equal(piece.byteLength, piece.buffer.byteLength)
    structuredClone(all, { transfer: all.map(({ buffer }) => buffer) })
    assert.deepEqual(whole, numbered(100_000))
    assert.equal(shared.byteLength, 100_000, 'what was only read from is still there')
  })

  test('a large one is not copied', () => {
    const large = numbered(65_536)
    const pieces = createPieces()
    pieces.add(large)
    assert.equal(pieces.all()[0], large)
  })

  test('a byte at a time does not cost more than the bytes', () => {
    const pieces = createPieces()
    for (let byte = 0; byte < 200_000; byte++) pieces.add(Uint8Array.of(byte % 251))
    const all = pieces.all()
    assert.equal(all.length, 4)
    assert.deepEqual(joined(all), numbered(200_000))
  })
})
