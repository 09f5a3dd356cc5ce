import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { type BinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys'
import { createFrameReader, MAX_INFLATED } from '../../../../workers/shard/network/frames/frame-reader.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A clock that stands still, so that a busy machine does not use up the time for a turn of the event loop. */
const STANDING = () => 0

function connection({ now, pieces = Number.POSITIVE_INFINITY }: { now?: () => number; pieces?: number } = {}) {
  const key = randomBytes(32)
  let counter = 0
  const ids: string[] = []
  const errors: Error[] = []
  const busy: boolean[] = []
  const nodes: BinaryNode[] = []
  const reader = createFrameReader(key, {
    onNode(node) {
      nodes.push(node)
      ids.push(node.attrs.id ?? '')
    },
    onBroken: (error) => errors.push(error as Error),
    onBusy: (isBusy) => busy.push(isBusy),
    now,
  })

  function sealed(plain: Uint8Array): Buffer {
    const iv = Buffer.alloc(12)
    iv.writeUInt32BE(counter++, 8)
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    const prefix = Buffer.alloc(3)
    prefix.writeUIntBE(body.length, 0, 3)
    return Buffer.concat([prefix, body])
  }
  function push(...frames: Buffer[]) {
    const all = Buffer.concat(frames)
    for (let at = 0; at < all.length; at += pieces) reader.push(all.subarray(at, at + pieces))
  }
  async function settled(count: number) {
    while (ids.length < count && errors.length === 0) await nextTurn()
  }
  return { ids, nodes, errors, busy, reader, sealed, push, settled }
}

const plainOf = (node: BinaryNode): Buffer => encodeBinaryNode(node)
const small = (id: string): Buffer => plainOf({ tag: 'ack', attrs: { id } })
const large = (id: string, children = 20_000): Buffer =>
  plainOf({
    tag: 'iq',
    attrs: { id },
    content: Array.from({ length: children }, (_, n) => ({ tag: 'item', attrs: { n: `${n}` } })),
  })
const compressed = (plain: Buffer): Buffer => Buffer.concat([Buffer.of(2), deflateSync(plain.subarray(1))])

test('small frames are read in the turn in which they come, several of them in one piece too', () => {
  const { ids, busy, push, sealed } = connection({ now: STANDING })
  push(sealed(small('1')))
  push(sealed(small('2')), sealed(small('3')))
  assert.deepEqual(ids, ['1', '2', '3'])
  assert.deepEqual(busy, [])
})

for (const pieces of [1, 2, 7, 4_096]) {
  test(`frames that come in pieces of ${pieces} bytes are put together`, async () => {
    const { ids, push, sealed, settled } = connection({ pieces })
    push(sealed(small('1')), sealed(large('2', 30)), sealed(small('3')))
    await settled(3)
    assert.deepEqual(ids, ['1', '2', '3'])
  })
}

test('a compressed frame is not overtaken by the ones behind it', async () => {
  const { ids, errors, push, sealed, settled } = connection({ now: STANDING })
  push(sealed(small('1')), sealed(compressed(large('2'))))
  push(sealed(small('3')))
  push(sealed(compressed(small('4'))), sealed(small('5')))
  assert.deepEqual(ids, ['1'])
  await settled(5)
  push(sealed(small('6')))
  assert.deepEqual(ids, ['1', '2', '3', '4', '5', '6'])
  assert.deepEqual(errors, [])
})

test('a large frame is read in slices, and meanwhile nothing is taken from the wire', async () => {
  // The clock advances by 1 ms each time that it is read. So the 3 ms for a turn of the event loop are over after three
  // slices of the frame.
  let time = 0
  const { ids, nodes, busy, push, sealed } = connection({ now: () => time++ })
  push(sealed(large('1')), sealed(small('2')))
  assert.deepEqual(ids, [])
  let turns = 0
  for (; ids.length < 2; turns++) await nextTurn()
  // The frame has 20,000 entries of two parts: a node and an attribute. The clock is read once for every 512 parts.
  assert.ok(turns >= Math.floor((2 * 20_000) / 512 / 3), `${turns} turns`)
  assert.deepEqual(ids, ['1', '2'])
  assert.equal((nodes[0]!.content as BinaryNode[]).length, 20_000)
  await nextTurn()
  assert.deepEqual(busy, [true, false])
})

test('more small frames than fit in a turn are read in several', async () => {
  let time = 0
  const { ids, busy, push, sealed, settled } = connection({ now: () => time++ })
  push(...Array.from({ length: 50 }, (_, n) => sealed(small(`${n}`))))
  assert.ok(ids.length < 20, `${ids.length} in one turn`)
  await settled(50)
  assert.deepEqual(
    ids,
    Array.from({ length: 50 }, (_, n) => `${n}`),
  )
  await nextTurn()
  assert.deepEqual(busy, [true, false])
})

const LIST_8 = 248
const LIST_16 = 249
const HOSTILE: Readonly<Record<string, () => Buffer>> = {
  'an empty one': () => Buffer.alloc(0),
  'one that inflates to more than any': () => Buffer.concat([Buffer.of(2), deflateSync(Buffer.alloc(MAX_INFLATED + 1))]),
  'one that says it is compressed and is not': () => Buffer.from([2, 1, 2, 3]),
  'ten thousand nodes in one another': () =>
    Buffer.from([0, ...Array.from({ length: 10_000 }, () => [LIST_8, 2, 9, LIST_8, 1]).flat(), LIST_8, 1, 9]),
  'a list that is longer than the frame': () => Buffer.from([0, LIST_8, 2, 9, LIST_16, 255, 255, LIST_8, 1, 9]),
}
for (const [what, plain] of Object.entries(HOSTILE)) {
  test(`of hostile frames, ${what} is told once, and nothing behind it is read`, async () => {
    const { ids, errors, push, sealed, settled } = connection()
    push(sealed(small('1')), sealed(plain()), sealed(small('2')))
    await settled(2)
    push(sealed(small('3')))
    await nextTurn()
    assert.deepEqual(ids, ['1'])
    assert.equal(errors.length, 1)
    assert.ok(errors[0] instanceof Error)
  })
}

test('a frame of another key, one too short for its proof, and one out of its turn are told', () => {
  const other = connection().sealed(small('x'))
  for (const spoil of [() => other, () => Buffer.from([0, 0, 2, 1, 2]), (frame: Buffer) => Buffer.concat([frame, frame])]) {
    const { errors, push, sealed } = connection()
    push(spoil(sealed(small('1'))))
    assert.equal(errors.length, 1)
  }
})

test('what a listener throws is told like a frame that cannot be opened', () => {
  const errors: unknown[] = []
  const { sealed } = connection()
  const reader = createFrameReader(Buffer.alloc(32), {
    onNode: () => assert.fail('not opened'),
    onBroken: (error) => errors.push(error),
    onBusy() {},
  })
  reader.push(sealed(small('1')))
  reader.push(sealed(small('2')))
  assert.equal(errors.length, 1)
})

test('nothing is read after the end, also of what had begun', async () => {
  const { ids, errors, reader, push, sealed } = connection()
  push(sealed(compressed(large('1'))), sealed(small('2')))
  reader.end()
  push(sealed(small('3')))
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  assert.deepEqual(ids, [])
  assert.deepEqual(errors, [])
})
