/**
 * Runs compiled tests: node scripts/test.mjs [--dots] .built/test/…test.js … With `--dots` a passing test is shown as a
 * dot. The files share two cores and have fixed deadlines, so a file that fails is run once more, alone. If it then
 * passes, it is listed: it has a race that somebody should examine. If more than five files fail, none is run again,
 * and the run fails.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { dot, spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { secondsSoFar } from './test-cpu.cjs'
import { grouped } from './test-groups.mjs'
import { mixed } from './test-order.mjs'
import { lendWorlds } from './test-worlds.mjs'

/**
 * Number of files that run at once, chosen for two cores. It is higher than two, because many files wait for a deadline
 * most of their time.
 */
const AT_ONCE = 4
/** Time limit in ms for a file. In the full run, one test that kills the service may take ten minutes by itself. */
const TIME_LIMIT_MS = process.env.SVC_TEST_FULL === '1' ? 1_800_000 : 400_000
const SECOND_TRIES = 5
/** Maximum number of files in each list after the run: the slow ones, and those with the most CPU time. */
const LISTED = 12

const isShort = process.argv[2] === '--dots'
const tests = process.argv.slice(isShort ? 3 : 2)

/**
 * Returns the test file that a failure belongs to. With source maps, a failure names the source file, so its name is
 * converted. A file that is a suite in a group, or that ends before its tests do, is itself reported as the failed
 * test.
 */
function fileOf({ file, name, details }) {
  const place = tests.includes(name) ? name : (file ?? details.error?.file ?? name).replace(/\.ts$/, '.js')
  return [...tests, ...groups.files].find((each) => place.endsWith(each.replace(/^.*\.built\//, ''))) ?? place
}

/**
 * Duration in ms of each test file, by its name. It includes waits for other files on the same cores, so it shows which
 * files are slow rather than how slow they are.
 */
const durations = new Map()
/** Folder with the file to which each test process appends its CPU time (`test-cpu.cjs`). */
const measured = mkdtempSync(join(tmpdir(), 'svc-cpu-'))
process.env.TEST_CPU = join(measured, 'seconds')
const CPU = ['--require', fileURLToPath(new URL('test-cpu.cjs', import.meta.url))]

/** @param {[file: string, seconds: number][]} all */
function writeList(title, all) {
  const largest = all.toSorted(([, one], [, other]) => other - one).slice(0, LISTED)
  const lines = largest.map(
    ([file, seconds]) => `${String(Math.round(seconds)).padStart(5)} s  ${file.replace(/^.*\.built\//, '')}`,
  )
  if (lines.length > 0) process.stdout.write(`\n${title}:\n${lines.join('\n')}\n`)
}

/** Lists the files that took longest, and those with the most CPU time. On Node 20, CPU time is not measured. */
function writeLargest() {
  writeList(
    'The files that took longest',
    [...durations].map(([file, ms]) => [file, ms / 1000]),
  )
  const lines = existsSync(process.env.TEST_CPU) ? readFileSync(process.env.TEST_CPU, 'utf8').trim().split('\n') : []
  rmSync(measured, { recursive: true })
  writeList(
    'The files with the most CPU time, with their child processes',
    lines.map((line) => [line.slice(line.indexOf(' ') + 1), Number.parseFloat(line)]),
  )
  const cpu = secondsSoFar()
  if (cpu !== undefined)
    process.stdout.write(`All files: ${Math.round(cpu)} s of CPU time in ${Math.round(performance.now() / 1000)} s\n`)
}

/** Runs test files with these flags of Node. Returns the files with a failed test. */
async function failed(these, concurrency, execArgv = []) {
  const red = new Set()
  const events = run({ files: these, concurrency, execArgv: [...CPU, ...execArgv], timeout: TIME_LIMIT_MS })
  events.on('test:fail', (failure) => red.add(fileOf(failure)))
  // Node reports each file as a test, too, which has the name of the file. Only these tests are recorded.
  events.on('test:complete', ({ file, name, details }) => file?.endsWith(name) && durations.set(name, details.duration_ms))
  const report = events.compose(isShort ? dot : spec)
  report.pipe(process.stdout, { end: false })
  await finished(report)
  return [...red]
}

// Node 24 keeps compiled modules in this folder, which saves a fifth of the processor time of a run; Node 20 ignores
// the variable.
process.env.NODE_COMPILE_CACHE ??= resolve('.built/compile-cache')
// The helper threads of V8 compete with the tests for two cores: with one in place of four, a run needs 7 % less
// processor time.
process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, '--v8-pool-size=1'].filter(Boolean).join(' ')
// A service collects its garbage at its start, to return memory to the system. Tests start hundreds of services, so only
// files that choose all settings of their services, such as test/e2e/start.test.ts, start them with this collection.
process.env.SVC_TEST_SPARE_MEMORY ??= 'off'
const groups = grouped(tests)
const worlds = await lendWorlds()
process.env.TEST_WORLDS = worlds.address
// If a group ends before all its tests have run, all files of the group are run again.
const red = [...new Set((await failed(mixed(groups.files), AT_ONCE)).flatMap(groups.membersOf))]
// In the second run, each file runs alone. Without `TEST_WORLDS` it starts a world of its own, as with `node --test`.
delete process.env.TEST_WORLDS
await worlds.close()
writeLargest()
// The second run is not measured.
delete process.env.TEST_CPU
if (red.length > SECOND_TRIES) {
  process.exitCode = 1
} else if (red.length > 0) {
  process.stdout.write(`\nOnce more, by themselves:\n${red.join('\n')}\n\n`)
  // Source maps slow down the start of each process, so only this second run names the lines of the sources.
  const still = await failed(red, 1, ['--enable-source-maps'])
  if (still.length > 0) process.exitCode = 1
  else process.stdout.write(`\nGreen by themselves, red among the others; please look at them:\n${red.join('\n')}\n`)
}
