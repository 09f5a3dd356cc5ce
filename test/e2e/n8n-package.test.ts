/**
 * Tests the package `n8n-nodes-svc` without n8n: its generated files, and which files are published. `n8n.test.ts` runs
 * it in n8n.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { n8nSource } from '../../packages/generate-n8n.ts'
import { endpoints } from '../../src/features/index.ts'
import { ROOT } from '../harness/checkout.ts'

const PACKAGE = fileURLToPath(new URL('packages/n8n-nodes-svc/', ROOT))
const run = promisify(execFile)

test('its generated form is that of this description, with forms for 40 operations', async () => {
  const written = await readFile(join(PACKAGE, 'generated/form.ts'), 'utf8')
  const source = n8nSource(endpoints)
  assert.ok(written === source, 'generated/form.ts is out of date: npm run client')
  const forms = source.slice(source.indexOf('FORMS'), source.indexOf('\n}\n')).match(/^ {2}'/gm)
  assert.equal(forms?.length, 40)
})

test('it is packed with its nodes, licence, types and icons, and has no dependency', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'n8n-nodes-svc-'))
  try {
    await run(process.execPath, [join(PACKAGE, 'build.mjs'), join(folder, 'dist')])
    for (const name of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE']) await cp(join(PACKAGE, name), join(folder, name))
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--dry-run', '--json'], { cwd: folder })
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
    const node = (name: string) => [`dist/nodes/${name}/${name}.node.d.ts`, `dist/nodes/${name}/${name}.node.js`]
    assert.deepEqual(files.map(({ path }) => path).sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/credentials/SvcApi.credentials.d.ts',
      'dist/credentials/SvcApi.credentials.js',
      'dist/icons/svc.dark.svg',
      'dist/icons/svc.svg',
      ...node('Svc'),
      ...node('SvcStreamTrigger'),
      ...node('SvcTrigger'),
      'package.json',
    ])
    const { dependencies, n8n } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    assert.equal(dependencies, undefined)
    for (const path of [...n8n.nodes, ...n8n.credentials]) {
      assert.ok(existsSync(join(folder, path)), path)
      const required = [...(await readFile(join(folder, path), 'utf8')).matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)
      assert.deepEqual(new Set(required.filter((name) => name !== 'n8n-workflow')), new Set(), path)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
