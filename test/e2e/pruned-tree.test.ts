/**
 * Tests the service after it was packed, installed and pruned. It must not load anything that is missing in the package
 * or that `scripts/prune.mjs` removes, and must not exceed its limits of size.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { HOOKS, ROOT } from '../harness/checkout.ts'
import { createGateway } from '../harness/gateway.ts'
import { unpackPacked } from '../harness/packed.ts'
import { type Running, run } from '../harness/process.ts'
import { createSandbox } from '../harness/sandbox.ts'

const BUILT = new URL('../../', import.meta.url)
const PACKAGES = fileURLToPath(new URL('node_modules/', ROOT))
const execute = promisify(execFile)
/**
 * Options that make Node search for packages from the path of a symbolic link. Otherwise, a removed package would be
 * found in the original folder.
 */
const FROM_LINKS = ['--preserve-symlinks', '--preserve-symlinks-main']

/** Limits of size in MB. Raise one only for a reason that users would accept. */
const MOST_PACKED = 19
const MOST_INSTALLED = 148
const MB = 1e6

const skip = HOOKS.length > 0 ? 'runs from source: nothing is compiled beside it' : false

async function linkPackages(to: string) {
  const names = (await readdir(PACKAGES)).filter((name) => !name.startsWith('.'))
  const inScope = async (scope: string) => (await readdir(join(PACKAGES, scope))).map((name) => `${scope}/${name}`)
  const all = await Promise.all(names.map((name) => (name.startsWith('@') ? inScope(name) : [name])))
  for (const name of all.flat()) {
    await mkdir(join(to, name, '..'), { recursive: true })
    await symlink(join(PACKAGES, name), join(to, name))
  }
}

async function packed(folder: string): Promise<string> {
  const source = join(folder, 'source')
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'extension', 'docs'])
    await cp(new URL(name, ROOT), join(source, name), { recursive: true })
  // The tests were compiled with the same options as `npm run build` uses. So their compiled files are used instead of
  // another build.
  for (const name of ['src', 'workers', 'packages/sandbox/src', 'dashboard', 'node_modules'])
    await cp(new URL(name, BUILT), join(source, 'dist', name), { recursive: true })
  const tree = join(folder, 'tree')
  await unpackPacked(source, tree)
  return tree
}

/** Returns the size in bytes of all files in a folder, without those in folders with the name `skipped`. */
async function sizeOf(folder: string, skipped?: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true })
  const sizes = entries.map((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === skipped ? 0 : sizeOf(path, skipped)
    return entry.isFile() ? stat(path).then(({ size }) => size) : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

interface Locked {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

async function dependencies(): Promise<Set<string>> {
  const { packages } = JSON.parse(await readFile(new URL('package-lock.json', ROOT), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const found = new Set<string>()
  const take = (path: string, { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }: Locked) => {
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const place = placeOf(packages, path, name)
      if (place === undefined || found.has(place)) continue
      found.add(place)
      take(place, packages[place]!)
    }
  }
  take('', packages['']!)
  return new Set([...found].filter((path) => existsSync(new URL(path, ROOT))))
}

function placeOf(packages: Record<string, Locked>, from: string, name: string): string | undefined {
  const place = `${from}${from === '' ? '' : '/'}node_modules/${name}`
  if (place in packages || from === '') return place in packages ? place : undefined
  return placeOf(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

test('packed, installed and pruned, the service starts with its command, and an account is linked', {
  timeout: 280_000,
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pruned-'))
  let service: Running | undefined
  t.after(async () => {
    await service?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const tree = await packed(folder)
  const names = await readdir(tree)
  assert.deepEqual(names.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'extension', 'package.json'])
  const own = (await sizeOf(tree)) / MB
  const others = await dependencies()
  assert.ok(others.size > 150)
  let installed = own
  for (const path of others) installed += (await sizeOf(fileURLToPath(new URL(path, ROOT)), 'node_modules')) / MB
  t.diagnostic(`the package has ${own.toFixed(1)} MB; with ${others.size} packages, ${installed.toFixed(1)} MB are installed`)
  assert.ok(own <= MOST_PACKED && installed <= MOST_INSTALLED, `${own} MB packed, ${installed} MB installed`)

  await cp(new URL('scripts/prune.mjs', ROOT), join(tree, 'scripts/prune.mjs'))
  await linkPackages(join(tree, 'node_modules'))
  await execute(process.execPath, [join(tree, 'scripts/prune.mjs')])
  for (const name of ['@whiskeysockets', 'keyv', 'yargs', '@types'])
    assert.ok(!existsSync(join(tree, 'node_modules', name)), name)
  assert.ok(existsSync(join(tree, 'node_modules/lmdb')))

  const { bin, scripts } = JSON.parse(await readFile(join(tree, 'package.json'), 'utf8'))
  const command = join(tree, bin.svc)
  const [shebang] = (await readFile(command, 'utf8')).split('\n')
  assert.equal(shebang, '#!/usr/bin/env node', 'BusyBox has no option -S')
  const flags = scripts.start.match(/ --\S+/g).map((flag: string) => flag.trim())
  const settings = { SVC_PORT: '0', SVC_SANDBOX_PORT: '0', SVC_SHARDS: '1', SVC_FFMPEG: 'off' }
  // The flags that `npm test` gives its processes would count as those of the operator.
  const env = { ...settings, SVC_DATA_DIR: join(tree, 'data'), NODE_OPTIONS: '' }
  for (const words of [['--help'], ['cli', 'help']]) {
    const { stdout } = await execute(process.execPath, [...FROM_LINKS, command, ...words], { env: { ...process.env, ...env } })
    assert.match(stdout, /npx --no-install svc cli /)
    assert.doesNotMatch(stdout, /npm (start|run)/)
  }
  const links = [...(await readFile(join(tree, 'README.md'), 'utf8')).matchAll(/\]\((docs\/[^)#]+)/g)].map(
    ([, path = '']) => path,
  )
  assert.deepEqual([links.length > 20, links.filter((path) => !existsSync(join(tree, path)))], [true, []])
  service = await run([], env, [...FROM_LINKS, command, 'sandbox'])
  if ('execve' in process && process.platform === 'linux') {
    const words = (await readFile(`/proc/${service.child.pid}/cmdline`, 'utf8')).split('\0')
    assert.deepEqual(words.slice(1, 1 + flags.length), flags)
  }
  const gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)
  const { id } = await gateway.connected(createSandbox(service.printed.sandbox_url!), '5511900011111', null)
  assert.ok(id)
})
