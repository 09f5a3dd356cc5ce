/** Tests the production tree: the service must not load anything that `scripts/prune.mjs` removes. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { HOOKS, ROOT } from '../harness/checkout.ts'
import { createGateway } from '../harness/gateway.ts'
import { type Running, run } from '../harness/process.ts'
import { createSandbox } from '../harness/sandbox.ts'

const BUILT = new URL('../../', import.meta.url)
const PACKAGES = fileURLToPath(new URL('node_modules/', ROOT))
/**
 * Options of Node for packages that are links. Packages are then searched from the path of the link, so a removed
 * package is not found in the original tree.
 */
const FROM_LINKS = ['--preserve-symlinks', '--preserve-symlinks-main']

async function linkPackages(to: string) {
  const names = (await readdir(PACKAGES)).filter((name) => !name.startsWith('.'))
  const inScope = async (scope: string) => (await readdir(join(PACKAGES, scope))).map((name) => `${scope}/${name}`)
  const all = await Promise.all(names.map((name) => (name.startsWith('@') ? inScope(name) : [name])))
  for (const name of all.flat()) {
    await mkdir(join(to, name, '..'), { recursive: true })
    await symlink(join(PACKAGES, name), join(to, name))
  }
}

const skip = HOOKS.length > 0 ? 'runs from source: nothing is compiled beside it' : false
test('in the pruned tree the service starts and an account is linked', { timeout: 280_000, skip }, async (t) => {
  const tree = await mkdtemp(join(tmpdir(), 'svc-pruned-'))
  let service: Running | undefined
  t.after(async () => {
    await service?.stop()
    await rm(tree, { recursive: true, force: true })
  })
  for (const name of ['package.json', 'scripts']) await cp(new URL(name, ROOT), join(tree, name), { recursive: true })
  // The tests are compiled with the same options as `npm run build`, so their compiled files are used.
  for (const name of ['src', 'workers', 'node_modules'])
    await cp(new URL(name, BUILT), join(tree, 'dist', name), { recursive: true })
  await linkPackages(join(tree, 'node_modules'))
  await promisify(execFile)(process.execPath, [join(tree, 'scripts/prune.mjs')])
  for (const name of ['@whiskeysockets', 'keyv', 'yargs', '@types'])
    assert.ok(!existsSync(join(tree, 'node_modules', name)), name)
  assert.ok(existsSync(join(tree, 'node_modules/lmdb')))

  const env = { SVC_DATA_DIR: join(tree, 'data'), SVC_PORT: '0', SVC_SANDBOX_PORT: '0', SVC_SHARDS: '1', SVC_FFMPEG: 'off' }
  service = await run(['--sandbox'], env, [...FROM_LINKS, join(tree, 'dist/src/start.js')])
  const gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)
  const { id } = await gateway.connected(createSandbox(service.printed.sandbox_url!), '5511900011111', null)
  assert.ok(id)
})
