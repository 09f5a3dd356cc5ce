/**
 * Tests that the earlier build runs if the project cannot be built, even if npm has left some files of the compiler.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT, textOf } from '../../harness/checkout.ts'
import { tempDir } from '../storage/fixtures.ts'

const COMPILER = 'node_modules/typescript/bin/tsc'
const SCRIPTS = ['scripts/built.mjs', 'scripts/stale.mjs']

async function build(t: TestContext, files: readonly string[]) {
  const tree = await tempDir(t)
  for (const path of [...files, ...SCRIPTS]) await mkdir(dirname(join(tree, path)), { recursive: true })
  for (const path of SCRIPTS) await cp(fileURLToPath(new URL(path, ROOT)), join(tree, path))
  for (const path of files) await writeFile(join(tree, path), "process.stdout.write('compiles')\nprocess.exitCode = 2\n")
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/built.mjs'], { cwd: tree, encoding: 'utf8' })
  return { status, stdout, stderr, left: files.filter((path) => existsSync(join(tree, path))) }
}

test('with all that builds it, it is built', async (t) => {
  const { status, stdout } = await build(t, [COMPILER, 'node_modules/esbuild/package.json', 'dist/src/start.js'])
  assert.deepEqual([status, stdout], [2, 'compiles'])
})

test('a build removes compiled files whose source was moved, so that no package contains them', async (t) => {
  const files = [
    COMPILER,
    'node_modules/esbuild/package.json',
    'src/here.ts',
    'dist/src/here.js',
    'dist/node_modules/a/b.js',
    'dist/workers/shard/chunks/a.bundle.js',
  ]
  assert.deepEqual((await build(t, [...files, 'dist/src/moved.js', 'dist/src/moved.js.map'])).left, files)
  assert.match(textOf('package.json'), /"build": "node scripts\/stale\.mjs dist && /)
})

test('only the first build says that it takes a while', async (t) => {
  const tools = [COMPILER, 'node_modules/esbuild/package.json']
  assert.match((await build(t, tools)).stderr, /^Compiling the service, which takes some seconds the first time …\n$/)
  assert.equal((await build(t, [...tools, 'dist/src/start.js'])).stderr, '')
})

test('in a production tree what was built runs, also with the compiler that npm leaves there', async (t) => {
  for (const files of [['dist/src/start.js'], [COMPILER, 'dist/src/start.js']])
    assert.deepEqual(await build(t, files), { status: 0, stdout: '', stderr: '', left: files })
})

test('a production tree in which nothing was built says what to do', async (t) => {
  const { status, stderr } = await build(t, [COMPILER])
  assert.equal(status, 1)
  assert.match(stderr, /^Nothing is built, and .* is not installed: npm ci && npm run build, then npm prune --omit=dev\.\n$/)
})
