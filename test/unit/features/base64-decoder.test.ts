import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createBase64Decoder, decodeBase64 } from '../../../src/features/base64-decoder.ts'

const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  'as RFC 4648 has it': (text) => text,
  'without padding': (text) => text.replace(/=+$/, ''),
  'URL-safe': (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  'URL-safe, without padding': (text) => Buffer.from(text, 'base64').toString('base64url'),
  'in lines of 76, as `base64` writes it': (text) => `${inLines(text, 76, '\n')}\n`,
  'in lines of 64 that end in CR LF, as in PEM and MIME': (text) => inLines(text, 64, '\r\n'),
  'in indented lines, as in YAML': (text) => `\n    ${inLines(text, 19, '  \n\t    ')}  `,
}
const inLines = (text: string, width: number, end: string) => text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${end}`)

for (const [name, spelled] of Object.entries(SPELLINGS))
  test(`base64 ${name} decodes at every length, from the beginning or from behind a prefix`, () => {
    for (let length = 0; length < 200; length++) {
      const bytes = randomBytes(length)
      const text = spelled(bytes.toString('base64'))
      assert.deepEqual(decoded(text), bytes, text)
      assert.deepEqual(decoded(`data:;base64,${text}`, { from: 13 }), bytes, text)
    }
  })

test('a long text decodes across the borders of its parts', () => {
  const bytes = randomBytes(200_001)
  for (const [name, spelled] of Object.entries(SPELLINGS))
    assert.deepEqual(decoded(spelled(bytes.toString('base64'))), bytes, name)
})

test('a text that comes in pieces of any size decodes to the same', () => {
  const bytes = randomBytes(301)
  for (const [name, spelled] of Object.entries(SPELLINGS)) {
    const text = Buffer.from(spelled(bytes.toString('base64')))
    for (let size = 1; size < 40; size++) {
      const decoder = createBase64Decoder()
      const target = new Uint8Array(text.length)
      let at = 0
      for (let from = 0; from < text.length; from += size) at = decoder.write(text.subarray(from, from + size), target, at)
      at = decoder.end(target, at)
      assert.equal(decoder.problem(), undefined, name)
      assert.deepEqual(Buffer.from(target.subarray(0, at)), bytes, `${name}, ${size} at a time`)
    }
  }
})

test('one character that is no digit anywhere is no base64', () => {
  const text = randomBytes(96).toString('base64')
  for (const wrong of ['*', '.', '%', '\0', 'é', 'Ł', '\ud83d'])
    for (let at = 0; at < text.length; at++)
      assert.equal(decodeBase64(text.slice(0, at) + wrong + text.slice(at + 1)), 'character', `${wrong} at ${at}`)
})

test('a space within a line is refused, because a form turns `+` into one', () => {
  const text = randomBytes(96).toString('base64')
  for (const blank of [' ', '\t'])
    for (let at = 1; at < text.length - 1; at++) {
      assert.equal(decodeBase64(text.slice(0, at) + blank + text.slice(at)), 'blank', `in front of ${at}`)
      assert.equal(decodeBase64(text.slice(0, at) + blank + text.slice(at + 1)), 'blank', `in place of ${at}`)
    }
})

test('padding is at the end and complete, or absent', () => {
  for (const wrong of ['ab=', 'ab=c', '====', 'ab==ab==', 'abc=abc=', '=', 'abcd=', 'abcd====', 'abc==', 'ab===', 'ab=\nc='])
    assert.equal(decodeBase64(wrong), 'padding', wrong)
  for (const wrong of ['a', 'abcda', 'a===', 'ab\ncda']) assert.equal(decodeBase64(wrong), 'length', wrong)
})

test('the limit counts decoded bytes, however many line breaks there are', () => {
  const text = inLines(randomBytes(1_000).toString('base64'), 4, '\r\n')
  assert.equal((decodeBase64(text, { most: 1_000 }) as Uint8Array).byteLength, 1_000)
  assert.equal(decodeBase64(text, { most: 999 }), 'too_large')
})

function decoded(...args: Parameters<typeof decodeBase64>): Buffer {
  const bytes = decodeBase64(...args)
  assert.notEqual(typeof bytes, 'string', `${bytes}`)
  return Buffer.from(bytes as Uint8Array)
}
