/** Tests which flags and settings a service has after the process was replaced by itself. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { HOOKS, sameKind } from '../../harness/checkout.ts'
import { RETURNED_MEMORY } from '../../harness/large-bodies.ts'
import { tempDir } from '../storage/fixtures.ts'

const FLAGS = ['--max-semi-space-size=2', '--v8-pool-size=1']
const PROGRAM = `import { restartFrugally } from '${sameKind('../../../src/restart-frugally', import.meta.url)}'
restartFrugally()
console.log(JSON.stringify([process.pid, process.execArgv, process.argv.slice(1), process.env]))`

/** Starts the program without the settings in this test's environment, which may come from `npm start`. */
async function started(t: TestContext, flags: readonly string[], env: Record<string, string> = {}) {
  const file = join(await tempDir(t), 'program.mjs')
  await writeFile(file, PROGRAM)
  const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in RETURNED_MEMORY)))
  const { stdout, stderr, pid } = spawnSync(process.execPath, [...flags, ...HOOKS, file, '--json'], {
    env: { ...plain, ...env },
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  const [own, execArgv, words, variables] = JSON.parse(stdout) as [number, string[], string[], Record<string, string>]
  assert.deepEqual([own, words], [pid, [file, '--json']])
  return { flags: execArgv.filter((flag) => /^--(max-semi|v8-pool)/.test(flag)), variables }
}

const skip = 'execve' in process && process.platform === 'linux' ? false : 'this Node or system cannot replace a process'

test('a process without the flags and settings gets them, with its arguments', { skip }, async (t) => {
  const { flags, variables } = await started(t, [])
  assert.deepEqual(flags, FLAGS)
  for (const [name, value] of Object.entries(RETURNED_MEMORY)) assert.equal(variables[name], value)
})

test('what the operator has set is kept', { skip }, async (t) => {
  const { flags, variables } = await started(t, [...FLAGS, '--max-semi-space-size=8'], { MALLOC_ARENA_MAX: '1' })
  assert.deepEqual(flags, [...FLAGS, '--max-semi-space-size=8'])
  assert.deepEqual(
    Object.keys(RETURNED_MEMORY).map((name) => variables[name]),
    ['1', '1048576', '1048576'],
  )
})
