/** Tests which flags and settings a service has after it has replaced its own process. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MEMORY_FLAGS, MEMORY_SETTINGS } from '../../../src/restart-frugally.ts'
import { HOOKS, sameKind } from '../../harness/checkout.ts'
import { tempDir } from '../storage/fixtures.ts'

const IGNORED = new Set(['NODE_OPTIONS', ...Object.keys(MEMORY_SETTINGS)])
const programAfter = (
  before: string,
) => `import { restartFrugally } from '${sameKind('../../../src/restart-frugally', import.meta.url)}'
${before}
restartFrugally()
console.log(JSON.stringify([process.pid, process.execArgv, process.argv.slice(1), process.env]))`

/**
 * Starts the program without the settings and flags in this test's environment, which may come from `npm start` or
 * `npm test`. `before` is code that the program runs first.
 */
async function started(t: TestContext, flags: readonly string[], env: Record<string, string> = {}, before = '') {
  const file = join(await tempDir(t), 'program.mjs')
  await writeFile(file, programAfter(before))
  const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !IGNORED.has(name)))
  const { stdout, stderr, pid } = spawnSync(process.execPath, [...flags, ...HOOKS, file, '--json'], {
    env: { ...plain, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(stderr, '')
  const [own, execArgv, words, variables] = JSON.parse(stdout) as [number, string[], string[], Record<string, string>]
  assert.deepEqual([own, words], [pid, [file, '--json']])
  return { flags: execArgv.filter((flag) => /^--(max-semi|v8-pool)/.test(flag)), variables }
}

const skip = 'execve' in process && process.platform === 'linux' ? false : 'this Node or system cannot replace a process'

test('a process without the flags and settings gets them, with its arguments', { skip }, async (t) => {
  const { flags, variables } = await started(t, [])
  assert.deepEqual(flags, MEMORY_FLAGS)
  for (const [name, value] of Object.entries(MEMORY_SETTINGS)) assert.equal(variables[name], value)
})

test('what the operator has set is kept', { skip }, async (t) => {
  const { flags, variables } = await started(t, [...MEMORY_FLAGS, '--max-semi-space-size=8'], { MALLOC_ARENA_MAX: '1' })
  assert.deepEqual(flags, [...MEMORY_FLAGS, '--max-semi-space-size=8'])
  assert.deepEqual(
    Object.keys(MEMORY_SETTINGS).map((name) => variables[name]),
    ['1', '1048576', '1048576'],
  )
})

test('flags in NODE_OPTIONS are kept, because those of the command line would have precedence', { skip }, async (t) => {
  const { flags } = await started(t, [], { NODE_OPTIONS: '--max_semi_space_size=8' })
  assert.deepEqual(flags, ['--v8-pool-size=1'])
})

test('a process is replaced once, also if the system removes the settings again', { skip }, async (t) => {
  const { flags, variables } = await started(t, [], {}, 'delete process.env.MALLOC_ARENA_MAX')
  assert.deepEqual([flags, variables.MALLOC_ARENA_MAX], [MEMORY_FLAGS, undefined])
})

test('a child process of a replaced process is replaced, too', { skip }, async (t) => {
  const { flags } = await started(t, [], { RESTARTED_FRUGALLY: String(process.pid) })
  assert.deepEqual(flags, MEMORY_FLAGS)
})

test('a process whose program was removed runs as it was started', { skip }, async (t) => {
  const { flags } = await started(t, [], {}, `process.execPath = '/nowhere/node'`)
  assert.deepEqual(flags, [])
})
