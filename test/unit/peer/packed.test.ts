/** Tests the format in which services exchange plain data and the bytes in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../../src/domain/failures.ts'
import { callOf } from '../../../src/features/call.ts'
import { endpoints } from '../../../src/features/index.ts'
import { parseInput, type RawFields } from '../../../src/features/input.ts'
import { pack, unpack } from '../../../src/peer/engine/packed.ts'

/** Returns a reader of the bytes, which gives pieces of this size. */
function readerOf(bytes: Uint8Array, size: number) {
  let at = 0
  return {
    async read() {
      if (at >= bytes.byteLength) return { done: true as const, value: undefined }
      const value = Buffer.from(bytes.subarray(at, at + size))
      at += size
      return { done: false as const, value }
    },
  }
}
const bytesOf = (value: unknown) => Buffer.concat(pack(value).pieces)

const bytes = fc.uint8Array({ maxLength: 50 })
const leaf = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes,
)
const data = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
})).value

test('plain data arrive as they were, whatever the pieces', () =>
  fc.assert(
    fc.asyncProperty(data, fc.integer({ min: 1, max: 100 }), async (value, size) => {
      const held: number[] = []
      const packed = bytesOf(value)
      const read = await unpack(readerOf(packed, size), (count) => held.push(count))
      assert.deepEqual(read, withoutNegativeZero(value))
      assert.equal(held.at(-1), packed.byteLength - 4)
    }),
    { numRuns: 100 },
  ))

/** Replaces each negative zero by zero, because JSON has no negative zero. */
const withoutNegativeZero = (value: unknown): unknown => {
  if (Object.is(value, -0)) return 0
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(withoutNegativeZero)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutNegativeZero(each)]))
}

test('each byte array has a buffer of its own, so that it can be transferred to a thread', async () => {
  const [one, other] = (await unpack(readerOf(bytesOf([Buffer.from('one'), Buffer.from('other')]), 7))) as Uint8Array[]
  assert.deepEqual([one!.buffer.byteLength, other!.buffer.byteLength], [3, 5])
})

test('what is no plain data is refused before anything is sent', () => {
  for (const value of [new Map(), new Date(), () => {}, 1n, Number.NaN, { in: { a: new Set() } }, Symbol('x')])
    assert.throws(() => pack(value), TypeError)
})

test('data that are cut, too long or changed are refused', async () => {
  const whole = bytesOf({ a: Buffer.from('bytes'), b: 'text' })
  const refused = (part: Uint8Array) => assert.rejects(unpack(readerOf(part, 1_000)), Failure)
  for (const length of [0, 3, 10, whole.byteLength - 1]) await refused(whole.subarray(0, length))
  await refused(Buffer.concat([whole, Buffer.from('x')]))
  const framed = (head: unknown, ...rest: Buffer[]) => {
    const json = Buffer.from(JSON.stringify(head))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(json.byteLength)
    return Buffer.concat([length, json, ...rest])
  }
  const x = Buffer.from('x')
  for (const at of [['constructor', 'prototype'], ['__proto__'], ['b'], ['a', 'c']])
    await refused(framed({ value: { a: null, b: 'text' }, parts: [{ at, size: 1 }] }, x))
  for (const parts of [undefined, [{}], [{ at: ['a'], size: -1 }], [{ at: ['a'], size: 2 ** 40 }]])
    await refused(framed({ value: { a: null }, parts }, x))
  await refused(Buffer.from([255, 255, 255, 255]))
  await assert.rejects(
    unpack(readerOf(whole, 10), () => {
      throw new Failure('engine_unavailable')
    }),
    ({ code }: Failure) => code === 'engine_unavailable',
  )
})

/** Returns a copy without the fields whose value is undefined, as JSON leaves them out. */
const defined = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (Array.isArray(value)) return value.map(defined)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, defined(each)]])))
}

test('the call of every operation, and its reply, is plain data', async () => {
  let calls = 0
  for (const endpoint of endpoints)
    for (const { input, reply } of endpoint.kind === 'local' ? [] : endpoint.examples)
      for (const value of [callOf(endpoint, parseInput(endpoint, (input ?? {}) as RawFields)), reply]) {
        calls++
        const copy = await unpack(readerOf(bytesOf(value), 1_000))
        assert.deepEqual(defined(copy), defined(value), endpoint.id)
      }
  assert.ok(calls > 300, String(calls))
})
