/** Tests that the texts of the pages are in the catalogue, in both languages, and that it has no unused text. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import ts from 'typescript-5'
import { HEALTH_WORDS } from '../../../src/domain/health-words.ts'
import { ROOT } from '../../harness/checkout.ts'

const FOLDER = new URL('src/dashboard/', ROOT)
const AREAS = 'texts/areas/'

const files = readdirSync(FOLDER, { recursive: true })
  .map(String)
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('generated'))

const sourceOf = (path: string) =>
  ts.createSourceFile(path, readFileSync(new URL(path, FOLDER), 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)

function walk(path: string, see: (node: ts.Node) => void): void {
  const step = (node: ts.Node) => {
    see(node)
    ts.forEachChild(node, step)
  }
  step(sourceOf(path))
}

interface Row {
  area: string
  text: string
  translations: readonly string[]
}

const rows: readonly Row[] = files
  .filter((path) => path.startsWith(AREAS))
  .flatMap((area) => {
    const found: Row[] = []
    walk(area, (node) => {
      if (!ts.isPropertyAssignment(node) || !ts.isArrayLiteralExpression(node.initializer)) return
      const text = ts.isStringLiteral(node.name) || ts.isIdentifier(node.name) ? node.name.text : ''
      found.push({
        area,
        text,
        translations: node.initializer.elements.map((each) => (ts.isStringLiteral(each) ? each.text : '')),
      })
    })
    return found
  })

/** Names of the attributes and fields whose values people read. */
const SPOKEN = new Set(['label', 'title', 'hint', 'does', 'none', 'closes', 'alt', 'aria-label', 'verb', 'means', 'placeholder'])
/**
 * Returns true if people read this text: it contains words with a space between them, or begins with a capital letter.
 */
const isWords = (text: string) => /\p{L}{2,}/u.test(text) && (/\p{L} \p{L}/u.test(text) || /^\p{Lu}/u.test(text))
/** Texts that are the same in every language: the name of the product, the name of a header, and examples. */
const SAME = new Set(['Client-Token', 'CRM', 'svc', 'Webhook'])

/** Returns the texts of a file that are not passed to `t`, the function that translates. */
function untranslated(path: string): string[] {
  const found: string[] = []
  const take = (text: string) => {
    if (isWords(text) && !SAME.has(text)) found.push(text)
  }
  walk(path, (node) => {
    if (ts.isJsxText(node)) take(node.text.trim())
    if (!(ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) || !node.initializer) return
    if (SPOKEN.has(node.name.getText()) && ts.isStringLiteral(node.initializer)) take(node.initializer.text)
  })
  return found
}

const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

test('every text has a translation in both languages, with the same places for values', () => {
  assert.ok(rows.length > 400, `${rows.length} texts were found`)
  for (const { area, text, translations } of rows) {
    assert.equal(translations.length, 2, `${area}: ${text}`)
    for (const translation of translations) {
      assert.notEqual(translation.trim(), '', `${area}: ${text}`)
      assert.deepEqual(placesOf(translation), placesOf(text), `${area}: ${translation}`)
    }
  }
})

test('a text stands in one area only', () => {
  const texts = rows.map(({ text }) => text)
  assert.deepEqual(
    texts.filter((text, at) => texts.indexOf(text) !== at),
    [],
  )
})

test('no page has a text of its own', () => {
  const left = files.filter((path) => !path.startsWith('texts/'))
  assert.deepEqual(
    left.flatMap((path) => untranslated(path).map((text) => `${path}: ${text}`)),
    [],
  )
})

test('no text is unused, and a sentence of the service stands there as the service writes it', () => {
  const literals = new Set<string>()
  const sources = [
    'domain/sentences.ts',
    'domain/health-words.ts',
    'domain/failures.ts',
    'domain/passkey-words.ts',
    'domain/dashboard-rights.ts',
    '../workers/shard/operations/instance.ts',
  ]
  const others = sources.map((path) => new URL(`../${path}`, FOLDER).href)
  for (const path of [...files.filter((each) => !each.startsWith(AREAS)), ...others])
    walk(path, (node) => {
      if (ts.isStringLiteralLike(node)) literals.add(node.text)
    })
  const unused = rows.filter(({ text }) => !literals.has(text))
  assert.deepEqual(
    unused.map(({ area, text }) => `${area}: ${text}`),
    [],
  )
})

test('every sentence about a problem of the service has a translation', () => {
  const texts = new Set(rows.map(({ text }) => text))
  const sentences = Object.values(HEALTH_WORDS).flatMap(({ what, todo }) => [what, todo].flat())
  assert.deepEqual(
    sentences.filter((each) => !texts.has(each)),
    [],
  )
})
