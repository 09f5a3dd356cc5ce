/**
 * The files of a group share one process, because each test process loads the library and the service, which takes
 * longer than most unit tests run.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const GROUPS = '.built/test/groups'
/** Number of files in a group of each kind. A group runs on one core, so with few long groups the other core would be idle at the end. */
const SIZES = { unit: 20, hooks: 12, contract: 5, simulator: 7 }
/**
 * Matches a file that changes state of its process on which other files depend: clocks, the event loop, the environment,
 * or patches of Baileys. Such a file runs in a separate process, like one that converts media, because the conversions
 * of a group would run one after another.
 */
const ALONE =
  /media-files|mock\.timers|mock\.method|process\.(env\.\w+ =|exit|chdir|on|emit)|baileys\/(thread|frames)|startService|WAProto\/index|stderr\.write =/
/** Matches files that take as long as a group. The fixture of `auth-order` is only correct for the whole process. */
const LONG = /\/contract\/(auth-order|blobs|operations|storage|store-copy|two-services)\./
/** Matches hooks for each test. They would run for the tests of the other files, too. */
const HOOKS = /^(beforeEach|afterEach)\(/m

/** @returns the kind of group of which the file can be a part; undefined if it runs in a separate process. */
function kindOf(file) {
  const [, folder] = /^\.built\/test\/(unit|contract|simulator)\//.exec(file) ?? []
  if (folder === undefined || LONG.test(file)) return undefined
  const text = readFileSync(file, 'utf8')
  if (ALONE.test(text)) return undefined
  return folder === 'unit' && HOOKS.test(text) ? 'hooks' : folder
}

/**
 * Returns the code of a group. Unit tests are loaded one after another, and their hooks for a whole file run before the
 * first test of the group, or after its last. The files of other groups are suites, so their hooks run for their own
 * tests only. They are loaded one after another, too, because many wait while they are loaded.
 */
function codeOf(kind, files) {
  const paths = files.map((file) => `./${relative(GROUPS, file).replaceAll('\\', '/')}`)
  if (kind === 'unit') return paths.map((path) => `import '${path}'\n`).join('')
  return `import { suite } from 'node:test'
let last = Promise.resolve()
const load = (path) => (last = last.catch(() => {}).then(() => import(path)))
${files.map((file, at) => `suite('${file}', () => load('${paths[at]}'))\n`).join('')}`
}

/**
 * Returns the same files, but with groups in place of the tests that can share a process.
 *
 * @param {string[]} files compiled tests, relative to the project
 * @returns {{ files: string[], membersOf: (group: string) => string[] }} `membersOf` returns the tests of a group, and the file itself for any other
 * file
 */
export function grouped(files) {
  rmSync(GROUPS, { recursive: true, force: true })
  mkdirSync(GROUPS, { recursive: true })
  const kinds = new Map()
  for (const file of files) {
    const kind = kindOf(file)
    kinds.set(kind, [...(kinds.get(kind) ?? []), file])
  }
  const members = new Map()
  for (const [kind, size] of Object.entries(SIZES)) {
    const together = kinds.get(kind) ?? []
    for (let first = 0; first < together.length; first += size) {
      const group = join(GROUPS, `${kind}-${String(1 + first / size).padStart(2, '0')}.test.js`)
      const tests = together.slice(first, first + size)
      members.set(group, tests)
      writeFileSync(group, codeOf(kind, tests))
    }
  }
  const groups = [...members.keys()]
  return {
    files: [...groups, ...(kinds.get(undefined) ?? [])],
    membersOf: (group) => members.get(group) ?? [group],
  }
}
