/**
 * Finds the program `node` of a supported version, or fetches it from its npm package into node_modules/.cache. Two
 * versions are supported: 24, which is used for development, and 20, the oldest in `engines`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const VERSIONS = { 20: '20.19.5', 24: '24.9.0' }
const runtime = `node-${process.platform}-${process.arch}`
const folderOf = (major) => fileURLToPath(new URL(`../node_modules/.cache/node-${VERSIONS[major]}`, import.meta.url))
const programIn = (folder) => `${folder}/node_modules/${runtime}/bin/node`

/** Returns the path of the fetched program, or undefined if this version was not fetched yet. */
export function nodeAtHand(major) {
  const program = programIn(folderOf(major))
  return existsSync(program) ? program : undefined
}

/**
 * Returns the path of the program, and fetches the program first if necessary. Returns undefined if it cannot be
 * fetched, for example because there is none for this machine.
 */
export function fetchedNode(major) {
  const folder = folderOf(major)
  if (nodeAtHand(major) === undefined) {
    const install = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${runtime}@${VERSIONS[major]}`]
    spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return nodeAtHand(major)
}
