import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { type HeldText, heldText } from '../../../src/features/held-text.ts'
import { TooManyValues } from '../../../src/features/json.ts'
import { StreamedJson } from '../../../workers/media/streamed-json.ts'

/**
 * Length from which a text counts as long. It is small, so that many cases run fast, but larger than the part of a text
 * that is kept.
 */
const LONG = 4_096
const MB = 1_048_576

function read(text: string | Uint8Array, cut = (left: number) => left): { value: unknown; held: number } {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const json = new StreamedJson(LONG)
  for (let at = 0; at < bytes.length; ) {
    const size = Math.max(1, Math.min(bytes.length - at, cut(bytes.length - at)))
    json.push(bytes.subarray(at, at + size))
    at += size
  }
  const { held } = json
  return { value: json.value(), held }
}

function long(written: string, cut?: (left: number) => number): HeldText {
  const { value } = read(`{"b":"","a":"${written}","c":"\\""}`, cut)
  const { a, b, c } = value as { a: unknown; b: string; c: string }
  assert.deepEqual([b, c], ['', '"'])
  return heldText(a) ?? assert.fail('it is not held')
}

const fileOf = ({ file }: HeldText): Buffer => {
  assert.ok(typeof file !== 'string', `it is no file: ${file}`)
  assert.equal(file.byteLength, file.buffer.byteLength, 'alone in its memory')
  return Buffer.from(file)
}

const bytes = randomBytes(9_000)
const base64 = bytes.toString('base64')
const randomly = (most: number) => () => 1 + Math.floor(Math.random() * most)

describe('a long text', () => {
  test('in base64 is decoded, whatever its length and wherever it is cut', () => {
    for (let length = 8_000; length < 8_004; length++) {
      const data = bytes.subarray(0, length)
      for (const cut of [undefined, () => 1, randomly(7), randomly(5_000)])
        for (const [prefix, mime] of [
          ['', null],
          ['data:;base64,', null],
          ['DATA:image/png;name=a b;base64,', 'image/png;name=a b'],
        ] as const) {
          const held = long(prefix + data.toString('base64'), cut)
          assert.equal(held.mime, mime)
          assert.ok(fileOf(held).equals(data))
        }
    }
  })

  test('may be escaped as JSON allows', () => {
    for (const cut of [undefined, () => 1, randomly(9)]) {
      assert.ok(bytes.equals(fileOf(long(base64.replaceAll('/', '\\/'), cut))))
      assert.ok(bytes.equals(fileOf(long(base64.replaceAll('+', '\\u002b').replaceAll('A', '\\u0041'), cut))))
    }
  })

  test('may be base64 in any form that is taken', () => {
    const lines = base64.replace(/.{76}/g, '$&\n')
    const short = bytes.subarray(0, 8_999)
    for (const [written, file] of [
      [lines.replaceAll('\n', '\\r\\n'), bytes],
      [base64.replaceAll('+', '-').replaceAll('/', '_'), bytes],
      [short.toString('base64url'), short],
    ] as const)
      for (const cut of [undefined, () => 1, randomly(900)]) assert.ok(fileOf(long(written, cut)).equals(file))
  })

  test('that is not base64 is not kept', () => {
    const at = 6_001
    for (const [wrong, problem] of [
      ['*', 'character'],
      ['é', 'character'],
      ['😀', 'character'],
      ['\\u0000', 'character'],
      ['\\\\', 'character'],
      ['\\ud83d\\ude00', 'character'],
      ['=', 'padding'],
      [' ', 'blank'],
    ] as const)
      for (const cut of [undefined, () => 1, randomly(900)]) {
        const written = base64.slice(0, at) + wrong + base64.slice(at)
        assert.equal(long(written, cut).file, problem, wrong)
        assert.ok(read(`{"a":"${written}"}`).held <= 65_536)
      }
    assert.equal(long(`data:image/png,${base64}`).file, 'character')
    assert.equal(long(base64.slice(0, -3)).file, 'length')
    assert.match(long(`https://example.com/${base64}`).begin, /^https:/)
  })

  test('is no key of an object, and nothing that a caller writes passes for one', () => {
    assert.throws(() => read(`{"${base64}":1}`), /not valid/)
    const { value } = read(`{"a":"${base64}","b":"00000000-0000-0000-0000-000000000000:0"}`)
    assert.equal((value as { b: unknown }).b, '00000000-0000-0000-0000-000000000000:0')
  })

  test('is found in JSON of any depth', () => {
    const depth = 9_900
    const { value } = read(`{"b":${'['.repeat(depth)}"${base64}"${']'.repeat(depth)},"a":"${base64}"}`)
    const { a, b } = value as { a: unknown; b: unknown }
    let inner = b
    while (Array.isArray(inner)) inner = inner[0]
    for (const each of [a, inner]) assert.ok(fileOf(heldText(each) ?? assert.fail('it is not held')).equals(bytes))
  })

  test('must be JSON in UTF-8 like any other', () => {
    for (const [wrong, where] of [
      ['\n', 5_000],
      ['\\x', 5_000],
      ['\\u12g4', 5_000],
      ['\t', 0],
    ] as const)
      assert.throws(() => read(`{"a":"${base64.slice(0, where)}${wrong}${base64.slice(where)}"}`), SyntaxError, wrong)
    const text = Buffer.from(`{"a":"${base64}"}`)
    for (const byte of [0xff, 0xc3]) {
      text[5_000] = byte
      assert.throws(() => read(text, randomly(900)), SyntaxError)
    }
    for (const end of ['', '\\', '"', '"}x']) assert.throws(() => read(`{"a":"${base64}${end}`), SyntaxError, end)
  })
})

test('any other JSON is parsed as JSON.parse does', () => {
  const texts = ['', 'a', '"', '\\', '\\"', '\u0000', 'ü😀', 'x'.repeat(600), '","b":[', '\\\\"', '}{']
  const made = (depth: number): unknown => {
    const kind = Math.floor(Math.random() * (depth > 3 ? 4 : 6))
    if (kind === 0) return Math.random() * 1e6
    if (kind === 1) return Math.random() < 0.5
    if (kind <= 3) return texts[Math.floor(Math.random() * texts.length)]
    const parts = Array.from({ length: Math.floor(Math.random() * 5) }, () => made(depth + 1))
    return kind === 4 ? parts : Object.fromEntries(parts.map((part, at) => [`${texts[at]}${at}`, part]))
  }
  for (let round = 0; round < 500; round++) {
    const value = made(0)
    const text = JSON.stringify(value, null, round % 3)
    assert.deepEqual(read(text, randomly(20)).value, value)
    const half = text.slice(0, Math.floor(Math.random() * text.length))
    const outcome = (parse: () => unknown) => {
      try {
        return parse()
      } catch {
        return 'no JSON'
      }
    }
    assert.deepEqual(
      outcome(() => read(half, randomly(20)).value),
      outcome(() => JSON.parse(half)),
      half,
    )
  }
})

test('what a body holds is counted with the memory that is not filled yet, and falls when a long text has been taken out', () => {
  const json = new StreamedJson()
  const push = (text: string) => json.push(new TextEncoder().encode(text))
  push(`{"a":"${'x'.repeat(600_000)}","b":"`)
  assert.equal(json.held, MB)
  push('A'.repeat(MB - 4))
  assert.equal(json.held, 2 * MB)
  push('A'.repeat(4))
  assert.equal(json.held, MB + 0.75 * MB)
  push('A'.repeat(4 * MB))
  assert.equal(json.held, MB + 3.75 * MB)
})

test('a body has room for ten pictures that are just too short to be decoded while they arrive', () => {
  const json = new StreamedJson()
  const pictures = Array.from({ length: 10 }, () => 'A'.repeat(1_048_572))
  json.push(new TextEncoder().encode(JSON.stringify({ pictures })))
  assert.deepEqual(json.value(), { pictures })
})

test('a body with too many values, or with too much beside its files, is refused while it arrives', () => {
  const values = new StreamedJson()
  values.push(new TextEncoder().encode(`[${'{},'.repeat(20_000)}`))
  assert.ok(values.isRefused)
  assert.throws(() => values.value(), TooManyValues)
  const large = new StreamedJson()
  large.push(new TextEncoder().encode('['))
  const text = new TextEncoder().encode(`"${'x'.repeat(400_000)}",`)
  for (let count = 0; count < 60; count++) large.push(text)
  assert.ok(large.isRefused)
  assert.throws(() => large.value(), /not valid/)
})
