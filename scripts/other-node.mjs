/**
 * Runs compiled tests on the other Node of the two we stand by: 24, on which we develop, and 20, the oldest in `engines`. The runtime comes
 * from its npm package and is kept in node_modules/.cache. Call: node scripts/other-node.mjs FILE…
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const VERSIONS = { 20: '20.19.5', 24: '24.9.0' }
const major = process.versions.node.startsWith('24.') ? 20 : 24
const runtime = `node-${process.platform}-${process.arch}`
const folder = `node_modules/.cache/node-${VERSIONS[major]}`
const node = `${folder}/node_modules/${runtime}/bin/node`

if (!existsSync(node)) {
  const install = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${runtime}@${VERSIONS[major]}`]
  const { status } = spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0 || !existsSync(node)) {
    process.stdout.write(`Node ${major} is not to be had for ${process.platform} on ${process.arch}: nothing was run on it.\n`)
    process.exit(0)
  }
}

const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
process.stdout.write(`On Node ${version}, beside ${process.version}:\n`)
const options = ['--enable-source-maps', '--test', '--test-reporter=dot', '--test-timeout=600000', '--test-concurrency=2']
process.exitCode = spawnSync(node, [...options, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1
