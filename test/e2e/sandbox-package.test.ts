/**
 * Installs the packed `svc-sandbox` into an empty project, and runs the program in its README with an unmodified
 * Baileys. `test/faults/long/sandbox-package.test.ts` tests each fault of the package.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { runIn } from '../harness/packed.ts'
import { sampleWith } from '../harness/samples.ts'
import { type EmptyProject, installSandbox } from '../harness/sandbox-package.ts'

/** Matches an import or a re-export of a package: its path does not begin with a dot. */
const PACKAGE = /^(?:import\b|export\b.*\bfrom)(?:[^'"`;=]*\bfrom)?\s*['"]([^'".][^'"]*)['"]/gm

let project: EmptyProject

before(async () => {
  project = await installSandbox()
})
after(() => project && rm(project.folder, { recursive: true, force: true }))

test('it has its own files only, and they import only its dependencies', async () => {
  const names = await readdir(project.installed)
  const documents = ['CHANGELOG.md', 'CLIENTS.md', 'LICENSE', 'LICENSE-BAILEYS', 'NOTICE.md', 'PROTOCOL.md', 'README.md']
  assert.deepEqual(names.sort(), [...documents, 'dist', 'package.json'])
  const { dependencies } = JSON.parse(await readFile(join(project.installed, 'package.json'), 'utf8'))
  const known = new Set([...Object.keys(dependencies), ...builtinModules])
  const files = (await readdir(join(project.installed, 'dist'), { recursive: true })).filter((name) => /\.(js|ts)$/.test(name))
  assert.ok(files.some((name) => name.endsWith('index.d.ts')))
  for (const file of files) {
    const source = await readFile(join(project.installed, 'dist', file), 'utf8')
    for (const [, from = ''] of source.matchAll(PACKAGE)) {
      const name = from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : from.replace(/^node:/, '').split('/')[0]!
      assert.ok(known.has(name), `${file} imports ${from}`)
    }
  }
})

test('its dependencies have the versions of the service', async () => {
  const { dependencies } = JSON.parse(await readFile(join(project.installed, 'package.json'), 'utf8'))
  for (const [name, version] of Object.entries(dependencies)) {
    const path = join(project.folder, 'node_modules', name, 'package.json')
    assert.equal(JSON.parse(await readFile(path, 'utf8')).version, version, name)
  }
})

test('the program of its README pairs an unmodified Baileys, sends and receives', async () => {
  const program = await project.compile('sample', sampleWith('packages/sandbox/README.md', 'startSandbox'))
  const printed = await runIn(project.folder, process.execPath, program)
  const lines = printed.split('\n').filter((line) => line.includes(' received: '))
  assert.deepEqual(lines.sort(), ['Ann received: Hello', 'Ben received: echo Hello'])
})

/** Starts the network in its own thread, makes a phone through the control API, and ends. */
const IN_A_THREAD = `
import { startSandboxThread } from 'svc-sandbox/thread'
const { controlUrl, ended, stop } = await startSandboxThread()
const made = await fetch(controlUrl + '/phones', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"phone":"5511900000001"}',
})
await stop()
await ended
console.log(made.status, 'phone')
`

test('the network runs in its own thread', async () => {
  const program = join(project.folder, 'thread.mjs')
  await writeFile(program, IN_A_THREAD)
  assert.equal(await runIn(project.folder, process.execPath, program), '201 phone\n')
})

test('its command prints the addresses, answers, and ends on a signal', async () => {
  const command = join(project.installed, 'dist/cli.js')
  assert.match(await runIn(project.folder, process.execPath, command, '--version'), /^svc-sandbox \d+\.\d+\.\d+\n$/)
  const { stderr } = await promisify(execFile)(process.execPath, [command, '--prot', '1']).catch((error) => error)
  assert.match(stderr, /^svc-sandbox: Unknown option '--prot'[^\n]*\n$/)
  const child = spawn(process.execPath, [command, '--json', '--control-port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { sandbox_url, network } = JSON.parse(line)
  assert.match(network.url, /^ws:\/\/127\.0\.0\.1:\d+\//)
  assert.deepEqual(Object.keys((await (await fetch(`${sandbox_url}/state`)).json()) as object), [
    'phones',
    'contacts',
    'groups',
    'newsletters',
  ])
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
