/**
 * Makes groups of test files that share one process. Each test process loads the library and the service, which takes
 * longer than most unit tests run.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const GROUPS = '.built/test/groups'
/**
 * Largest number of files in a group, by the kind of the group. A group runs on one core, so with few long groups the
 * other core would be idle at the end.
 */
const SIZES = { unit: 20, hooks: 12, mocks: 13, contract: 5, simulator: 7 }
/**
 * Matches the source of a file that must run in a separate process, because it changes state on which other files
 * depend, for example clocks, the environment, or patches of Baileys. A file that converts media also runs alone,
 * because the conversions of a group would run one after another.
 */
const ALONE =
  /media-files|(?<!\bt\.)mock\.(timers|method)|process\.(env\.\w+ =|exit|chdir|on|emit)|baileys\/(thread|frames)|startService|WAProto\/index|stderr\.write =/
/**
 * Matches the source of a file that has mocks of single tests. Node's test runner removes such a mock after its test.
 * These files share processes only with each other, because a timer that another file sets while the clock is mocked
 * would be lost.
 */
const MOCKS = /\bt\.mock\./
/**
 * Matches the source of a file with mocks that loads a module in a test. The mock must observe the loading of the
 * module, but another file of a group may have loaded it before.
 */
const LOADS = /\bawait import\(/
/**
 * Matches files that run alone because they take as long as a whole group. `auth-order` is here for another reason: its
 * fixture is correct only if nothing else runs in its process.
 */
const LONG = /\/contract\/(auth-order|blobs|operations|storage|store-copy|two-services)\./
/**
 * Matches hooks that run for each test. Files with such hooks go into groups of the kind `hooks`, where each file is a
 * suite: otherwise the hooks would also run for the tests of other files.
 */
const HOOKS = /^(beforeEach|afterEach)\(/m

/** Returns the kind of group for a file, or undefined if the file runs in a separate process. */
function kindOf(file) {
  const [, folder] = /^\.built\/test\/(unit|contract|simulator)\//.exec(file) ?? []
  if (folder === undefined || LONG.test(file)) return undefined
  const text = readFileSync(file, 'utf8')
  if (ALONE.test(text)) return undefined
  if (MOCKS.test(text)) return folder === 'unit' && !LOADS.test(text) ? 'mocks' : undefined
  return folder === 'unit' && HOOKS.test(text) ? 'hooks' : folder
}

/**
 * Returns the code of a group. A unit group only imports its files one after another, so a hook for a whole file runs
 * before the first or after the last test of the group. In the other groups each file is a suite, so its hooks run for
 * its own tests only. These files are also loaded one after another, because many of them wait while they are loaded.
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
 * Returns the list of files to run: the groups, and the files that cannot be part of a group.
 *
 * @param {string[]} files compiled tests, relative to the project
 * @returns {{ files: string[], membersOf: (group: string) => string[] }} `membersOf` returns the tests of a group, or
 * the file itself if it is no group
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
