/**
 * Programs of other versions of Node, from the npm package of each; they are kept in node_modules/.cache. Two versions are supported: 24, on which we
 * develop, and 20, the oldest in `engines`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const VERSIONS = { 20: '20.19.5', 24: '24.9.0' }
const runtime = `node-${process.platform}-${process.arch}`
const folderOf = (major) => fileURLToPath(new URL(`../node_modules/.cache/node-${VERSIONS[major]}`, import.meta.url))
const programIn = (folder) => `${folder}/node_modules/${runtime}/bin/node`

/** Returns the path of the program; undefined if it was not fetched. */
export function nodeAtHand(major) {
  const program = programIn(folderOf(major))
  return existsSync(program) ? program : undefined
}

/** Returns the path of the program, which is fetched if necessary; undefined if this machine has none. */
export function fetchedNode(major) {
  const folder = folderOf(major)
  if (nodeAtHand(major) === undefined) {
    const install = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${runtime}@${VERSIONS[major]}`]
    spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return nodeAtHand(major)
}
