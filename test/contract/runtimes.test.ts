/**
 * `test/runtimes/run.mjs` at the end of `.ci/run` often has no time left. The part that runs on Node is tested here, so that a
 * change of the description or of the handler cannot break it unseen.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ROOT } from '../harness/checkout.ts'

test('the handler without Node answers every operation, and so do the runtimes that are installed', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/runtimes/run.mjs'], {
    cwd: fileURLToPath(ROOT),
    timeout: 300_000,
  })
  const asked = Number(/^Node: (\d+) requests are answered, none with a server error\.$/m.exec(stdout)?.[1])
  assert.ok(asked > 2000, stdout)
  for (const runtime of ['Deno', 'Bun', 'workerd (miniflare)']) assert.ok(stdout.includes(`${runtime}: `), stdout)
})
