import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { ROOT, textOf } from '../../harness/checkout.ts'
import { sampleWith } from '../../harness/samples.ts'

/**
 * Permissive licences. They require that the notice of the licence is kept, but not that the source code is published.
 */
const PERMISSIVE = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'])

interface Locked {
  license?: string
  dev?: boolean
}

test('a package that is not under a permissive licence is named on the page', () => {
  const page = textOf('docs/licenses.md')
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(textOf('package-lock.json'))
  const others = Object.entries(packages).filter(
    ([path, { license, dev }]) => path !== '' && dev !== true && !PERMISSIVE.has(license ?? 'none'),
  )
  assert.ok(others.length > 0, 'libsignal is one')
  const names = others.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  // The packages of sharp for different machines share one row of the page.
  const rows = new Set(
    names.map((name) =>
      name
        .replace(/^@img\/sharp-libvips-.*/, '@img/sharp-libvips-*')
        .replace(/^@img\/sharp-(win32|wasm).*/, '@img/sharp-libvips-*'),
    ),
  )
  assert.deepEqual(
    [...rows].filter((name) => !page.includes(`\`${name}\``)),
    [],
  )
})

test('the command of the page prints the licence of each production package', () => {
  const printed = execFileSync('bash', ['-c', sampleWith('docs/licenses.md', 'package-lock.json')], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(textOf('package-lock.json'))
  const count = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true).length
  assert.equal(printed.trim().split('\n').length, count)
  assert.match(printed, /^GPL-3\.0 {2}libsignal$/m)
})
