/** Checks the workflows by reading them, because nothing runs them here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesIn, textOf, yamlOf } from '../../harness/deploy-files.ts'

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, { 'timeout-minutes': number; steps: { run?: string; uses?: string; with?: Record<string, string> }[] }>
}

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
const workflows = filesIn('.github/workflows')

for (const path of workflows)
  test(`${path} runs scripts that exist, may change nothing, and ends`, () => {
    const { permissions, jobs } = yamlOf<Workflow>(path)
    assert.deepEqual(permissions, { contents: 'read' })
    for (const { steps, 'timeout-minutes': limit } of Object.values(jobs)) {
      assert.ok(limit > 0)
      const commands = steps.map(({ run }) => run ?? '').join('\n')
      for (const [, file] of commands.matchAll(/^(?:bash|node) (\S+)/gm)) assert.notEqual(textOf(file!), '')
      for (const [, name] of commands.matchAll(/\bnpm run (\S+)/g)) assert.ok(scripts[name!], `npm run ${name}`)
      for (const { with: settings } of steps)
        if (settings?.['node-version-file']) assert.match(textOf(settings['node-version-file']), /^\d+\s*$/)
    }
  })

test('only .ci/tools says what the tests need, so each workflow installs the same', () => {
  const own = [...workflows, '.ci/run'].filter((path) => /apt-get|--prefix (?!test\/runtimes)/.test(textOf(path)))
  assert.deepEqual(own, [])
  assert.match(textOf('.ci/run'), /^bash \.ci\/tools /m)
  assert.match(textOf('.github/workflows/ci.yml'), /run: bash \.ci\/run$/m)
  assert.match(textOf('.github/workflows/full.yml'), /run: bash \.ci\/tools --all$/m)
})
