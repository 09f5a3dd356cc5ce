/**
 * The unit tests of a group share one process, because each test process loads Baileys and the service, which takes
 * longer than most unit tests run.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const GROUPS = '.built/test/groups'
/** Number of files in a group. A group runs on one core, so with few long groups the other core would be idle at the end. */
const SIZE = 12
const UNIT = /^\.built\/test\/unit\//
/**
 * Matches a file that changes state of its process on which other files depend: hooks for each test, clocks, the event
 * loop, the environment, or patches of Baileys. Such a file runs in a separate process, like one that converts media,
 * because the conversions of a group would run one after another. Hooks of a whole file run before the first test of
 * the group, or after its last.
 */
const ALONE =
  /^(beforeEach|afterEach)\(|media-files|mock\.timers|mock\.method|process\.(env\.\w+ =|exit|chdir|on|emit)|baileys\/(thread|frames)|startService|WAProto\/index|stderr\.write =/m

/**
 * Returns the same files, but with groups in place of the unit tests that can share a process. A group is a file that imports its tests.
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
