/**
 * Runs compiled tests: node scripts/test.mjs [--dots] .built/test/…test.js … With `--dots` a passing test is shown as a
 * dot.
 * A file that fails is run once more alone, because the files share two cores and have fixed deadlines. If it passes
 * then, it is listed, because it has a race that somebody should examine; the run also fails if more than a few files
 * do that.
 */
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { dot, spec } from 'node:test/reporters'
import { grouped } from './test-groups.mjs'
import { mixed } from './test-order.mjs'
import { lendWorlds } from './test-worlds.mjs'

/** Number of files that run at once, chosen for two cores: many files wait for a deadline most of their time. */
const AT_ONCE = 4
const TIME_LIMIT_MS = 400_000
const SECOND_TRIES = 5
/** Number of files that are listed with their time after the run, because the whole run has a time limit (`.ci/run`). */
const LISTED = 12

const isShort = process.argv[2] === '--dots'
const tests = process.argv.slice(isShort ? 3 : 2)

/**
 * Returns the file that a failure belongs to: with source maps the failure names the source. A file that is a suite of
 * its group, or that ends before its tests do, is itself reported as the test.
 */
function fileOf({ file, name, details }) {
  const place = tests.includes(name) ? name : (file ?? details.error?.file ?? name).replace(/\.ts$/, '.js')
  return [...tests, ...groups.files].find((each) => place.endsWith(each.replace(/^.*\.built\//, ''))) ?? place
}

/**
 * Duration in ms of each test file of the run. It includes waits for other files on the same cores, so the order of the
 * files is more useful than the number.
 */
const durations = new Map()

function writeSlowest() {
  const slowest = [...durations].toSorted(([, one], [, other]) => other - one).slice(0, LISTED)
  const lines = slowest.map(([file, ms]) => `${String(Math.round(ms / 1000)).padStart(5)} s  ${file.replace(/^.*\.built\//, '')}`)
  process.stdout.write(`\nThe files that took longest:\n${lines.join('\n')}\n`)
}

/**
 * Runs these test files with these flags of Node, and returns those with a failed test. The report is written to the
 * standard output.
 */
async function failed(these, concurrency, execArgv = []) {
  const red = new Set()
  const events = run({ files: these, concurrency, execArgv, timeout: TIME_LIMIT_MS })
  events.on('test:fail', (failure) => red.add(fileOf(failure)))
  // The file itself is reported as a test that has the name of the file.
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
const groups = grouped(tests)
const worlds = await lendWorlds()
process.env.TEST_WORLDS = worlds.address
// If a group ended before its tests did, each of its tests is run again.
const red = [...new Set((await failed(mixed(groups.files), AT_ONCE)).flatMap(groups.membersOf))]
// A file that runs alone has a separate world, as it has with `node --test`.
delete process.env.TEST_WORLDS
await worlds.close()
writeSlowest()
if (red.length > SECOND_TRIES) {
  process.exitCode = 1
} else if (red.length > 0) {
  process.stdout.write(`\nOnce more, by themselves:\n${red.join('\n')}\n\n`)
  // Source maps slow down the start of each process, so only the second run names the lines of the sources.
  const still = await failed(red, 1, ['--enable-source-maps'])
  if (still.length > 0) process.exitCode = 1
  else process.stdout.write(`\nGreen by themselves, red among the others; please look at them:\n${red.join('\n')}\n`)
}
