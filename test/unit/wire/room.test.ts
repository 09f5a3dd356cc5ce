/** Tests that of a shard's files only those in `wire/` build or read stanzas, and that these files have no effects. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../harness/checkout.ts'

/** File that contains parts of the library's source as text, to compare them with the library after an upgrade. */
const QUOTES = 'baileys/surface.ts'
const LITERAL = /\btag: ['"`][^'"`]+['"`],?\s*attrs\b/
const READING =
  /\battrs\b|\bget(All)?BinaryNode\w*|\bArray\.isArray\((\w+\??\.)*content\)|\bcontent instanceof\b|\bcontent\b[^{}]*\}: BinaryNode\b/

/** Files whose code looks as if it reads a node although it does not, each with the reason. */
const NOT_READING: Readonly<Record<string, string>> = {
  'stanzas/stanza-table.ts': 'writes down which attributes a row is about (`wire/match.ts` reads them)',
  'stanzas/stanza-left.ts': 'the same, for kinds that are left alone',
}

/**
 * Files in `wire/` that may be asynchronous. They work on data with an entry for each person of an account in pieces,
 * so that other work can run in between.
 */
const IN_PIECES = ['wire/app-state-collection.ts']

const folder = fileURLToPath(new URL('workers/shard/', ROOT))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
const outside = files.filter((name) => name.endsWith('.ts') && !name.startsWith('wire/'))
const codeOf = (name: string) => readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

test('no node is written down outside wire/', () => {
  assert.ok(outside.length > 100)
  assert.deepEqual(
    outside.filter((name) => name !== QUOTES && LITERAL.test(codeOf(name))),
    [],
  )
})

test('no node is read outside wire/', () => {
  assert.deepEqual(
    outside.filter((name) => READING.test(codeOf(name))),
    Object.keys(NOT_READING).toSorted((a, b) => outside.indexOf(a) - outside.indexOf(b)),
  )
})

test('the rules find what they are about', () => {
  assert.match("return { tag: 'ack', attrs: { id } }", LITERAL)
  assert.match("const node = {\n  tag: 'iq',\n  attrs: {},", LITERAL)
  const reading = [
    "const { from = '' } = node.attrs",
    'came({ attrs }) {',
    "const list = getBinaryNodeChild(answer, 'list')",
    'for (const child of getAllBinaryNodeChildren(notice)) {',
    "getBinaryNodeChildUInt(receipt, 'registration', 4)",
    'const children = Array.isArray(node.content) ? node.content : []',
    'const [first] = Array.isArray(content) ? content : []',
    'const text = content instanceof Uint8Array ? content : null',
    'const bytesOf = ({ content }: BinaryNode) => content',
  ]
  for (const code of reading) assert.match(code, READING, code)
  const others = ['take(node: BinaryNode): Promise<void>', 'const { content } = message', 'idOf(node)', 'content.push(text)']
  for (const code of others) assert.doesNotMatch(code, READING, code)
})

test('the room is pure', () => {
  for (const name of files.filter((each) => each.startsWith('wire/') && !IN_PIECES.includes(each)))
    assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /\basync\b|\bsock\b|sendNode|setTimeout|Date\.now/, name)
})
