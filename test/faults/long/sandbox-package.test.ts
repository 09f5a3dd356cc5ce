/** An unmodified Baileys must still send and receive while each fault of the packed sandbox is set. */
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { test } from 'node:test'
import { ROOT } from '../../harness/checkout.ts'
import { runIn } from '../../harness/packed.ts'
import { installSandbox } from '../../harness/sandbox-package.ts'

test('an unmodified Baileys survives each fault', async () => {
  const project = await installSandbox()
  try {
    const program = await project.compile('faults', await readFile(new URL('packages/sandbox/test/faults.ts', ROOT), 'utf8'))
    const printed = (await runIn(project.folder, process.execPath, program)).split('\n')
    const survived = printed.filter((line) => line.startsWith('survived '))
    assert.ok(survived.length >= 31)
    assert.ok(printed.includes(`all ${survived.length} faults`))
  } finally {
    await rm(project.folder, { recursive: true, force: true })
  }
})
