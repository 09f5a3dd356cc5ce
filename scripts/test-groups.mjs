/**
 * Groups of unit tests that can share a process. Each test process loads the library and its own copy of the service, which takes longer than most
 * unit tests: 230 separate files cost four minutes of a core for loading alone.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const GROUPS = '.built/test/groups'
/** Files in a group. One core runs a group, so a few long groups would leave the other core idle at the end. */
const SIZE = 12
const UNIT = /^\.built\/test\/unit\//
/**
 * Signs that a file changes state of its process that other files use: hooks, clocks, turns of the loop, the environment, and patches of the library.
 */
const ALONE =
  /^(before|after|beforeEach|afterEach)\(|mock\.timers|mock\.method|process\.(env\.\w+ =|exit|chdir|on|emit)|baileys\/(thread|frames)|startService|WAProto\/index|stderr\.write =/m

/**
 * The same files, with the unit tests among them in groups: each group is a file that imports its tests.
 *
 * @param {string[]} files compiled tests, relative to the project
 * @returns {{ files: string[], membersOf: (group: string) => string[] }} `membersOf` returns the tests of a group, and the file itself for any other
 * file
 */
export function grouped(files) {
  rmSync(GROUPS, { recursive: true, force: true })
  const together = files.filter((file) => UNIT.test(file) && !ALONE.test(readFileSync(file, 'utf8')))
  const members = new Map()
  for (let first = 0; first < together.length; first += SIZE) {
    const group = join(GROUPS, `unit-${String(members.size + 1).padStart(2, '0')}.test.js`)
    members.set(group, together.slice(first, first + SIZE))
  }
  mkdirSync(GROUPS, { recursive: true })
  for (const [group, tests] of members) {
    writeFileSync(group, tests.map((test) => `import './${relative(GROUPS, test).replaceAll('\\', '/')}'\n`).join(''))
  }
  const inGroup = new Set(together)
  return {
    files: [...files.filter((file) => !inGroup.has(file)), ...members.keys()],
    membersOf: (group) => members.get(group) ?? [group],
  }
}
