import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT } from '../../harness/checkout.ts'

interface Place {
  line: number
  text: string
}

interface Prose {
  problemsOf(text: string): string[]
  textsOf(source: string): Place[]
  proseOf(markdown: string): Place[]
  conflictsOf(source: string): string[]
}

const prose = (await import(new URL('scripts/prose.mjs', ROOT).href)) as Prose

const long = (words: number) => `The sentence has ${'very '.repeat(words - 5)}many words.`

const HARD: readonly (readonly [text: string, problem: RegExp])[] = [
  ['Of the ticket.', /no noun before its preposition/],
  ['By the hash of the ticket.', /no noun before its preposition/],
  ['Behind those of its chat.', /no noun before its preposition/],
  ['What it said before it went has arrived.', /question word as its subject/],
  ['The start fails. Who asks meanwhile is answered 503.', /question word as its subject/],
  ['Undefined: there is no such client.', /is no sentence/],
  ['Names are kept. Null: the network does not state it.', /is no sentence/],
  ['Offset of a length-delimited field; otherwise -1.', /is no sentence/],
  ['The connection is made anew.', /use "again" or "new"/],
  ['It is not stored any more.', /use "no longer"/],
  ['The connection hears nothing.', /use "receives" or "learns"/],
  ['A phone on the pretend network.', /use "simulated"/],
  ['Whoever holds the link may read the file.', /another noun/],
  ['The form of a channel (shared/api/newsletters.md).', /not in the repository/],
  ['BAILEYS 17a. The listener throws.', /not in the repository/],
  [long(61), /has 61 words/],
]

const PLAIN: readonly string[] = [
  'Ids of the tickets, by their hash.',
  'At most 500 products.',
  'In ms.',
  'Without a listener the error would end the whole process.',
  'In a group the account stays a member.',
  'Before the commit the old key opens every record.',
  'Undefined if there is no such client.',
  'Offset of the length-delimited field, or -1.',
  'Is the key lost? What next?',
  'What the code prints is `What it said. `',
  'The flag `--for-ever` and the file `anew.ts` are code.',
  'The connection receives nothing; it is replaced.',
  'Anyone who holds the link may read the file.',
  long(60),
]

test('a hard sentence is reported with its reason', () => {
  for (const [text, problem] of HARD) assert.match(prose.problemsOf(text).join('\n'), problem, text)
})

test('a plain sentence is accepted', () => {
  for (const text of PLAIN) assert.deepEqual(prose.problemsOf(text), [], text)
})

test('comments and messages of a source file are found, and code is not', () => {
  const source = [
    '/** The first one. */',
    'const a = 1 // the second one',
    '/**',
    ' * The third one goes on',
    ' * here.',
    ' *',
    ' * The fourth one.',
    ' */',
    "log.warn({ id }, 'the fifth one is a message')",
    "throw new Error('The sixth one is a message.')",
    '// biome-ignore lint/style/x: no prose',
    "const word = 'no prose at all, but a text'",
    '// The seventh one',
    '// goes on.',
  ].join('\n')
  assert.deepEqual(prose.textsOf(source), [
    { line: 1, text: 'The first one.' },
    { line: 2, text: 'the second one' },
    { line: 3, text: 'The third one goes on here.' },
    { line: 3, text: 'The fourth one.' },
    { line: 9, text: 'the fifth one is a message' },
    { line: 10, text: 'The sixth one is a message.' },
    { line: 13, text: 'The seventh one goes on.' },
  ])
})

test('paragraphs and cells of a page are found, and its headings and code are not', () => {
  const page = [
    '# What it is',
    '',
    'One paragraph',
    'of two lines.',
    '',
    '```sh',
    'code',
    '```',
    '| Name | Reports |',
    '- An item',
    '  of a list.',
  ].join('\n')
  assert.deepEqual(
    prose.proseOf(page).map(({ text }) => text.trim()),
    ['One paragraph of two lines.', 'Name', 'Reports', 'An item of a list.'],
  )
})

test('the marks of a merge are found, also in a comment', () => {
  const source = [
    '/**',
    `${'<'.repeat(7)} HEAD`,
    ' * One text.',
    '='.repeat(7),
    ' * Another text.',
    `${'>'.repeat(7)} other`,
    ' */',
  ].join('\n')
  assert.deepEqual(
    prose.conflictsOf(source).map((problem) => problem.split(' ')[0]),
    [':2', ':6'],
  )
})
