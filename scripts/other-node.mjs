/**
 * Runs compiled tests on the supported version of Node that this process does not run on (20 or 24): node
 * scripts/other-node.mjs FILE…. Without a file it only fetches that version.
 */
import { spawnSync } from 'node:child_process'
import { fetchedNode } from './node-runtime.mjs'

const files = process.argv.slice(2)
const major = process.versions.node.startsWith('24.') ? 20 : 24
const node = fetchedNode(major)

if (node === undefined) {
  process.stdout.write(`Node ${major} is not to be had for ${process.platform} on ${process.arch}: nothing is run on it.\n`)
} else if (files.length > 0) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  process.stdout.write(`On Node ${version}, beside ${process.version}:\n`)
  const run = ['--enable-source-maps', 'scripts/test.mjs', '--dots']
  process.exitCode = spawnSync(node, [...run, ...files], { stdio: 'inherit' }).status ?? 1
}
