/**
 * Compares the service's encoder and decoder of stanzas with those of the library, which they replace, and tests their
 * limits. The seed is fixed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys'
import * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import fc from 'fast-check'
import {
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_STRINGS_IN_STRING,
  MalformedStanza,
  readingNode,
  readNode,
} from '../../../workers/shard/wire/binary-node.ts'
import { nodeBytes } from '../../../workers/shard/wire/node-bytes.ts'

// Without this call, the library's encoder would treat the names of inherited properties as tokens.
Object.setPrototypeOf(constants.TOKEN_MAP, null)

const SEED = { seed: 20_261_123, numRuns: 500 }
const { TAGS, SINGLE_BYTE_TOKENS, DOUBLE_BYTE_TOKENS } = constants
const TOKENS = [...SINGLE_BYTE_TOKENS, ...DOUBLE_BYTE_TOKENS.flat()].filter((token) => token !== '')

/** Encodes a stanza without the first byte, which says whether the rest is compressed. */
const encoded = (node: BinaryNode): Buffer => encodeBinaryNode(node).subarray(1)
const byLibrary = (bytes: Buffer): BinaryNode => decodeDecompressedBinaryNode(bytes, constants)

function inSlices(bytes: Buffer): { node: BinaryNode; slices: number } {
  const reading = readingNode(bytes)
  for (let slices = 1; ; slices++) {
    const node = reading.read(1)
    if (node) return { node, slices }
  }
}

/** Returns the decoded stanza, or undefined if the decoder throws. */
function outcome(read: (bytes: Buffer) => BinaryNode, bytes: Buffer): BinaryNode | undefined {
  try {
    return read(bytes)
  } catch {
    return undefined
  }
}

/**
 * Returns true if the bytes may contain a length of 2^31 or more. The library takes such a length as negative, so it
 * moves backwards and may read the same bytes forever.
 */
const goesBack = (bytes: Buffer) => bytes.some((byte, at) => byte === TAGS.BINARY_32 && (bytes[at + 1] ?? 0) > 127)

function same(bytes: Buffer) {
  if (goesBack(bytes)) return assert.doesNotThrow(() => outcome(readNode, bytes))
  const theirs = outcome(byLibrary, bytes)
  let thrown: unknown
  const ours = outcome((all) => {
    try {
      return readNode(all)
    } catch (error) {
      thrown = error
      throw error
    }
  }, bytes)
  assert.deepStrictEqual(ours, theirs, bytes.toString('hex'))
  if (thrown !== undefined) assert.ok(thrown instanceof MalformedStanza, String(thrown))
}

test('every token is read wherever a string may stand', () => {
  for (const token of TOKENS) {
    const node: BinaryNode = { tag: token, attrs: { [token]: token }, content: [{ tag: 'x', attrs: {}, content: token }] }
    const bytes = encoded(node)
    assert.deepStrictEqual(readNode(bytes), byLibrary(bytes), token)
    same(Buffer.from([TAGS.LIST_8, 1, ...encoded({ tag: token, attrs: {} }).subarray(2)]))
  }
  assert.equal(new Set(TOKENS).size, TOKENS.length)
  assert.ok(TOKENS.length > 1_200)
})

test('every first byte and every second byte of a string means the same', () => {
  for (let first = 0; first < 256; first++)
    for (let second = 0; second < 256; second++)
      same(Buffer.from([TAGS.LIST_8, 3, 3, 3, first, second, 3, 3, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3]))
})

const user = fc.oneof(fc.stringMatching(/^\d{5,15}$/), fc.string({ maxLength: 8 }), fc.constant(''))
const device = fc.oneof(
  fc.constant(''),
  fc.nat(255).map((id) => `:${id}`),
)
const server = fc.constantFrom(
  's.whatsapp.net',
  'lid',
  'g.us',
  'hosted',
  'hosted.lid',
  'broadcast',
  'newsletter',
  'c.us',
  'msgr',
  'interop',
  'bot',
  'x',
)
const jid = fc
  .tuple(user, fc.constantFrom('', '_1', '_128'), device, server)
  .map(([name, agent, id, host]) => `${name}${agent}${id}@${host}`)
const text = fc.oneof(
  fc.constantFrom(...TOKENS),
  jid,
  fc.stringMatching(/^[\d.-]{1,130}$/),
  fc.stringMatching(/^[\dA-F]{1,130}$/),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 40 }).map((words) => words.replaceAll(' ', '@')),
  fc.constantFrom('', '__proto__', 'constructor', 'x'.repeat(300)),
)
const tag = text.filter((name) => name !== '')
const bytes = fc.uint8Array({ maxLength: 300 }).map(Buffer.from)
const { node: anyNode } = fc.letrec<{ node: BinaryNode; children: BinaryNode[] }>((tie) => ({
  node: fc.record(
    {
      tag,
      attrs: fc.dictionary(text, text, { maxKeys: 5 }),
      content: fc.oneof({ depthSize: 'small' }, fc.constant(undefined), text, bytes, tie('children')),
    },
    { requiredKeys: ['tag', 'attrs'] },
  ) as fc.Arbitrary<BinaryNode>,
  children: fc.oneof(
    { weight: 20, arbitrary: fc.array(tie('node'), { maxLength: 4 }) },
    fc.array(fc.constant({ tag: 'item', attrs: {} }), { minLength: 254, maxLength: 258 }),
  ),
}))

test('what the library writes is read as the library reads it, at once and in slices', () => {
  fc.assert(
    fc.property(anyNode, (node) => {
      const all = encoded(node)
      same(all)
      const whole = outcome(readNode, all)
      // The library can encode a JID that consists only of the @, but it cannot decode this JID. So stanzas that it
      // cannot decode are not compared.
      if (whole) assert.deepStrictEqual(inSlices(all).node, whole)
    }),
    SEED,
  )
  for (const length of [255, 256, 2 ** 20 - 1, 2 ** 20]) {
    const sized: BinaryNode = { tag: 'x', attrs: { text: 'é'.repeat(length / 2) }, content: Buffer.alloc(length, 7) }
    assert.deepStrictEqual(readNode(encoded(sized)), byLibrary(encoded(sized)))
  }
})

test('what we write are the bytes that the library writes', () => {
  fc.assert(
    fc.property(anyNode, (node) => assert.deepEqual(nodeBytes(node), encodeBinaryNode(node))),
    { ...SEED, numRuns: 2_000 },
  )
  for (const token of TOKENS) {
    const node: BinaryNode = { tag: token, attrs: { [token]: token }, content: token }
    assert.deepEqual(nodeBytes(node), encodeBinaryNode(node))
  }
  for (const length of [255, 256, 2 ** 20 - 1, 2 ** 20]) {
    const sized: BinaryNode = { tag: 'x', attrs: { text: 'é'.repeat(length / 2) }, content: Buffer.alloc(length, 7) }
    assert.deepEqual(nodeBytes(sized), encodeBinaryNode(sized))
  }
})

test('an id that every object has as a property is not taken for a token', () => {
  for (const id of ['constructor', '__proto__', 'toString', 'receipt', '3EB0796DC6B777C0C7CD']) {
    const node: BinaryNode = { tag: 'receipt', attrs: { id, to: '5511988887777@s.whatsapp.net' } }
    assert.deepEqual({ ...readNode(nodeBytes(node).subarray(1)).attrs }, node.attrs)
  }
})

test('what is no node is not written', () => {
  assert.throws(() => nodeBytes({ tag: '', attrs: {} }))
  assert.throws(() => nodeBytes({ tag: 'x', attrs: {}, content: null as never }))
  assert.throws(() => nodeBytes({ tag: 'x', attrs: {}, content: [Buffer.from('y')] as never }))
})

/** Generates strings in every encoding of the format, including those that the library does not use. */
const { string: rawString } = fc.letrec<{ string: number[] }>((tie) => {
  const part = tie('string')
  const int16 = fc.tuple(fc.nat(255), fc.nat(255))
  const listed = <T>(...all: fc.Arbitrary<T>[]) => fc.tuple(...all).map((lists) => lists.flat() as number[])
  const raw = fc.uint8Array({ maxLength: 10 }).map((all) => [...all])
  const packed = fc.tuple(fc.constantFrom(TAGS.NIBBLE_8, TAGS.HEX_8), fc.boolean(), raw)
  return {
    string: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.nat(235).map((token) => [token]),
      fc.tuple(fc.integer({ min: TAGS.DICTIONARY_0, max: TAGS.DICTIONARY_3 }), fc.nat(255)),
      raw.map((all) => [TAGS.BINARY_8, all.length, ...all]),
      raw.map((all) => [TAGS.BINARY_20, 0xf0, 0, all.length, ...all]),
      raw.map((all) => [TAGS.BINARY_32, 0, 0, 0, all.length, ...all]),
      packed.map(([kind, isOdd, all]) => [kind, (isOdd ? 128 : 0) | all.length, ...all]),
      listed<number | number[]>(fc.constant(TAGS.JID_PAIR), part, part),
      listed<number | number[]>(fc.constant(TAGS.AD_JID), fc.constantFrom(0, 1, 2, 128, 129, 255), fc.nat(255), part),
      listed<number | number[]>(fc.constant(TAGS.FB_JID), part, int16, part),
      listed<number | number[]>(fc.constant(TAGS.INTEROP_JID), part, int16, int16),
      listed<number | number[]>(fc.constant(TAGS.INTEROP_JID), part, int16, int16, part),
    ),
  }
})

test('strings in every form, also those that the library does not write, mean the same', () => {
  const stanza = fc
    .tuple(rawString, rawString, rawString, rawString)
    .map(([name, key, value, content]) => Buffer.from([TAGS.LIST_16, 0, 4, ...name, ...key, ...value, ...content]))
  fc.assert(fc.property(stanza, same), { ...SEED, numRuns: 3_000 })
})

const STANZA = encoded({
  tag: 'message',
  attrs: {
    from: '5511999990001@s.whatsapp.net',
    participant: '123456:12@lid',
    id: '3EB0A1B2C3D4E5',
    t: '1700000000',
    notify: 'Ana é',
  },
  content: [
    { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.from('ciphertext') },
    {
      tag: 'participants',
      attrs: {},
      content: Array.from({ length: 30 }, (_, n) => ({ tag: 'to', attrs: { jid: `${n}@g.us` } })),
    },
  ],
})

test('what is cut off, at whichever byte, is malformed', () => {
  for (let length = 0; length < STANZA.length; length++) {
    assert.throws(() => readNode(STANZA.subarray(0, length)), MalformedStanza)
    assert.throws(() => inSlices(STANZA.subarray(0, length)), MalformedStanza)
  }
  assert.deepStrictEqual(readNode(Buffer.concat([STANZA, Buffer.from('behind it')])), readNode(STANZA))
})

test('what is spoilt in a few bytes is refused where the library refuses it, and read where it reads it', () => {
  const spoilt = fc
    .tuple(anyNode, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }))
    .map(([node, changes]) => {
      const all = Buffer.from(encoded(node))
      for (const [at, byte] of changes) all[at % all.length] = byte
      return all
    })
  fc.assert(fc.property(spoilt, same), SEED)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (all) => same(Buffer.from([TAGS.LIST_8, 6, 9, ...all]))),
    { ...SEED, numRuns: 3_000 },
  )
})

const open = (depth: number) => Array.from({ length: depth }, () => [TAGS.LIST_8, 2, 9, TAGS.LIST_8, 1]).flat()
const LEAF = [TAGS.LIST_8, 1, 9]

test('a stanza that is deeper than any is refused, and the stack is none of the thread', () => {
  assert.equal(readNode(Buffer.from([...open(MAX_DEPTH), ...LEAF])).tag, byLibrary(Buffer.from(LEAF)).tag)
  for (const depth of [MAX_DEPTH + 1, 10_000])
    assert.throws(() => readNode(Buffer.from([...open(depth), ...LEAF])), /nested too deep/)
})

test('jids in jids have an end', () => {
  const nested = (kind: number[], depth: number) =>
    Buffer.from([TAGS.LIST_8, 2, 9, ...Array.from({ length: depth }, () => kind).flat(), 9, 9, 9, 9, 9, 9, 9])
  const within = MAX_STRINGS_IN_STRING / 2 - 1
  assert.ok(readNode(encoded({ tag: 'x', attrs: {}, content: `${'a@'.repeat(within)}b` })).content)
  for (const kind of [[TAGS.JID_PAIR], [TAGS.JID_PAIR, 9], [TAGS.FB_JID], [TAGS.AD_JID, 0, 0], [TAGS.INTEROP_JID]])
    assert.throws(() => readNode(nested(kind, 100_000)), MalformedStanza)
  // If no server can be read at a position, the decoder must not try this position again and again.
  assert.throws(() => readNode(nested([TAGS.INTEROP_JID, TAGS.INTEROP_JID, 9, 0, 0, 0, 0], 5_000)), MalformedStanza)
})

test('lengths that lie take no memory', () => {
  const lies = [
    [TAGS.LIST_8, 2, 9, TAGS.LIST_16, 255, 255, ...LEAF],
    [TAGS.LIST_16, 255, 255, 9, 9],
    [TAGS.LIST_8, 2, 9, TAGS.BINARY_32, 127, 255, 255, 255, 1],
    [TAGS.LIST_8, 2, 9, TAGS.BINARY_32, 255, 255, 255, 254, 1],
    [TAGS.LIST_8, 3, 9, 9, TAGS.BINARY_32, 255, 255, 255, 254, 1],
    [TAGS.LIST_8, 2, 9, TAGS.BINARY_20, 255, 255, 255, 1],
    [TAGS.LIST_8, 2, 9, TAGS.NIBBLE_8, 255, 1],
    Array.from({ length: 400 }, () => [TAGS.LIST_8, 2, 9, TAGS.LIST_16, 255, 255]).flat(),
  ]
  for (const lie of lies) assert.throws(() => readNode(Buffer.from(lie)), /it ends too early/)
})

test('a stanza of too many nodes, or too much text, is refused', () => {
  const leaves = Buffer.from(Array.from({ length: 65_535 }, () => LEAF).flat())
  const branch = Buffer.concat([Buffer.from([TAGS.LIST_8, 2, 9, TAGS.LIST_16, 255, 255]), leaves])
  const count = MAX_ELEMENTS / 2 ** 16
  const all = (branches: number) =>
    Buffer.concat([Buffer.from([TAGS.LIST_8, 2, 9, TAGS.LIST_8, branches]), ...Array.from({ length: branches }, () => branch)])
  const reading = readingNode(all(count + 1))
  let slices = 0
  assert.throws(() => {
    while (reading.read(2 ** 16) === undefined) slices++
  }, /too large/)
  assert.ok(slices >= count - 1)
})

test('as many slices as there is work', () => {
  const list = (length: number) =>
    encoded({ tag: 'x', attrs: {}, content: Array.from({ length }, (_, n) => ({ tag: 'device', attrs: { jid: `${n}@lid` } })) })
  const { slices } = inSlices(list(20_000))
  assert.equal(slices, 20_001)
  const reading = readingNode(list(20_000))
  let count = 1
  while (reading.read(512) === undefined) count++
  assert.equal(count, Math.ceil((1 + 2 * 20_000) / 512))
})
