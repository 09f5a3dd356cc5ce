import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { METRICS } from '../../../src/metrics/table.ts'
import { ROOT } from '../../harness/checkout.ts'

const root = fileURLToPath(ROOT)
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')
const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    // The test folders of generated clients contain packages, whose pages do not belong to the documentation.
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name))
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'wrangler-free.md',
  ...['src', 'workers', 'test', 'bench', 'extension', 'docs', 'packages'].flatMap(below),
]

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (page: string) => [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!))

test('every link to a file of the repository leads to one, and its anchor to a heading', () => {
  const dead: string[] = []
  for (const page of PAGES)
    for (const [, target] of textOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = target!.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, file))) dead.push(`${page}: ${target}`)
      else if (anchor !== undefined && !anchorsOf(file).includes(anchor)) dead.push(`${page}: ${target}`)
    }
  assert.deepEqual(dead, [])
})

/**
 * Paths that the documentation names although they are not in the repository. Either a reader or a program creates
 * them, or they are in another repository.
 */
const ELSEWHERE = new Set(['deploy/svc.env', 'deploy/cluster.env', 'bench/results', 'src/protocol/session_cipher.rs'])

test('a file or folder of the repository that a page names exists', () => {
  const missing = PAGES.flatMap((page) =>
    [
      ...textOf(page).matchAll(
        /`((?:src|workers|packages|scripts|test|bench|docs|deploy|examples|extension|\.ci)\/[\w./-]*\w\/?)`/g,
      ),
    ]
      .map(([, path = '']) => path)
      .filter((path) => !ELSEWHERE.has(path) && !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('the test files that the security model names exist', () => {
  const named = textOf('docs/security.md')
    .match(/`((test|scripts)\/[\w./-]+)`/g)!
    .map((name) => name.slice(1, -1))
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter((name) => !existsSync(join(root, name))),
    [],
  )
})

test('the function that the page on webhooks shows is that of the example', () => {
  const [, shown] = /^```js\n([\s\S]*?)^```$/m.exec(textOf('docs/webhooks.md'))!
  const example = textOf('examples/receivers/node.mjs')
  const [imports, code] = shown!.split('\n\n')
  assert.ok(example.includes(imports!), imports)
  assert.ok(example.includes(code!.trim()), code)
})

test('the metrics that the page on alerts names exist', () => {
  const named = textOf('docs/metrics.md').match(/\bsvc_[a-z_]+/g)!
  assert.ok(named.length > 8)
  assert.deepEqual(
    named.filter((name) => !Object.hasOwn(METRICS, name)),
    [],
  )
})
