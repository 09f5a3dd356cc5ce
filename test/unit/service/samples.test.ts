/**
 * Tests the samples in the documentation: shell commands must have no syntax error, commands of svc must have valid
 * arguments, and JSON must be valid. `test/e2e/guide-samples.test.ts` and `test/e2e/moving/samples.test.ts` run the
 * samples that need other programs.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMANDS } from '../../../src/commands/index.ts'
import { parse } from '../../../src/commands/parse.ts'
import { readyText } from '../../../src/printed.ts'
import { CATEGORIES } from '../../../workers/portability/categories.ts'
import { ROOT, textOf } from '../../harness/checkout.ts'
import { samplesOf, sampleWith } from '../../harness/samples.ts'

const pagesIn = (folder: string) =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
const SAMPLES = ['README.md', 'CONTRIBUTING.md', 'wrangler-free.md', ...pagesIn('docs')].flatMap(samplesOf)

const filled = (code: string) => code.replaceAll(/<(id|n|name|token)>/g, '7')

test('every sample names its language, except configuration that has none', () => {
  const others = SAMPLES.filter(({ language }) => !['sh', 'js', 'json', 'nginx', ''].includes(language))
  assert.deepEqual(others, [])
  assert.ok(SAMPLES.length > 40, String(SAMPLES.length))
})

test('shell commands have no syntax error', () => {
  const wrong = SAMPLES.filter(({ language }) => language === 'sh').flatMap(({ place, code }) => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: filled(code), encoding: 'utf8' })
    return status === 0 ? [] : [`${place}: ${stderr}`]
  })
  assert.deepEqual(wrong, [])
})

test('a translated page on running the service shows only commands of the English page', () => {
  const commandsOf = (page: string) =>
    samplesOf(page).flatMap(({ code }) =>
      code
        .split('\n')
        .map((line) => line.replace(/ +#.*$/, '').trimEnd())
        .filter((line) => line !== ''),
    )
  const english = readFileSync(new URL('docs/running.md', ROOT), 'utf8')
  for (const page of ['docs/pt/running.md', 'docs/es/running.md']) {
    const commands = commandsOf(page)
    assert.ok(commands.length > 5, page)
    assert.deepEqual(
      commands.filter((line) => !english.includes(line)),
      [],
      page,
    )
  }
})

test('JSON can be parsed', () => {
  const samples = SAMPLES.filter(({ language }) => language === 'json')
  assert.ok(samples.length > 0)
  for (const { place, code } of samples) assert.doesNotThrow(() => JSON.parse(code), place)
})

test('every command of svc exists, and has the arguments and options that it needs', () => {
  const calls = SAMPLES.flatMap(({ place, code }) =>
    [...filled(code).matchAll(/npm run cli -- ([^\n|;#]*)/g)].map(([, words = '']) => ({ place, words: words.trim() })),
  )
  assert.ok(calls.length > 20, String(calls.length))
  const wrong = calls.flatMap(({ place, words }) => {
    try {
      // In the samples, options that may be omitted are in square brackets, which are removed here.
      parse(COMMANDS, words.replaceAll(/[[\]]/g, '').split(/\s+/))
      return []
    } catch (error) {
      return [`${place}: ${words}: ${error}`]
    }
  })
  assert.deepEqual(wrong, [])
})

test('the commands in the README for a try without a phone are those that the sandbox prints', () => {
  const printed = readyText(
    { base_url: 'http://localhost:8080', sandbox_url: 'http://localhost:8081', admin_key: 'KEY' } as Parameters<
      typeof readyText
    >[0],
    { dataDir: './data', dashboard: 'on', adminKey: null },
  )
  const [, example = ''] = printed.split('Pair, send, receive (paste into a shell):\n')
  const plain = (text: string) => text.replaceAll('http://', '').replaceAll(/^ +/gm, '')
  assert.equal(
    plain(sampleWith('README.md', '$ADMIN')),
    plain(example).replace("'authorization: Bearer KEY'", '"authorization: Bearer $ADMIN"'),
  )
})

test('the report and the refusals of an import that docs/moving.md shows are those of the command', () => {
  const lines = sampleWith('docs/moving.md', 'one-time keys: ').trim().split('\n')
  assert.equal(lines.length, 3)
  for (const line of lines) {
    const [, name, consequence = ''] = /^\d+ ([^:]+): [^.]*\. ?(.*)$/.exec(line) ?? []
    const category = CATEGORIES.find(({ nouns }) => nouns.some((noun) => noun === name))
    assert.ok(category && ['', category.without].includes(consequence), line)
  }
  const sources = [
    'src/commands/hand-over.ts',
    'src/commands/instance-import.ts',
    'src/directory/linked.ts',
    'workers/portability/credentials.ts',
  ].map(textOf)
  const [, table = ''] = textOf('docs/moving.md').split('| What it says | What to do |\n|---|---|\n')
  const refusals = [...table.split('\n\n')[0]!.matchAll(/^\| ([^|]+) \|/gm)].map(([, words = '']) => words.split('…'))
  assert.equal(refusals.length, 7)
  const unknown = refusals.filter((pieces) => !sources.some((source) => pieces.every((piece) => source.includes(piece))))
  assert.deepEqual(unknown, [])
})
