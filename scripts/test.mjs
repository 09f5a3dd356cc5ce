/**
 * Runs compiled tests: node --enable-source-maps scripts/test.mjs [--dots] .built/test/…test.js …
 * With `--dots` a test that is green is a dot.
 *
 * A file that fails among the others is run once more by itself: two cores are shared with deadlines that the library and the protocol set.
 * What is red then is red. What is green then is named, as it is a race of ours or of the test's that somebody should look at; more than a
 * few of those are no accident, and fail.
 */
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { dot, spec } from 'node:test/reporters'
import { grouped } from './test-groups.mjs'
import { mixed } from './test-order.mjs'
import { lendWorlds } from './test-worlds.mjs'

/** On two cores: many of them wait for a deadline most of their time. */
const AT_ONCE = 4
const TIME_LIMIT_MS = 400_000
const SECOND_TRIES = 5

const isShort = process.argv[2] === '--dots'
const tests = process.argv.slice(isShort ? 3 : 2)

/** Which of the files a failure is of: with source maps it names the source, and a file that ends before its tests do is itself the test. */
function fileOf({ file, name, details }) {
  const place = (file ?? details.error?.file ?? name).replace(/\.ts$/, '.js')
  return [...tests, ...groups.files].find((each) => place.endsWith(each.replace(/^.*\.built\//, ''))) ?? place
}

/** The files with a failed test. The report goes to the standard output. */
async function failed(these, concurrency) {
  const red = new Set()
  const events = run({ files: these, concurrency, timeout: TIME_LIMIT_MS })
  events.on('test:fail', (failure) => red.add(fileOf(failure)))
  const report = events.compose(isShort ? dot : spec)
  report.pipe(process.stdout, { end: false })
  await finished(report)
  return [...red]
}

const groups = grouped(tests)
const worlds = await lendWorlds()
process.env.TEST_WORLDS = worlds.address
// Of a group that ended before its tests did, every test is run once more.
const red = [...new Set((await failed(mixed(groups.files), AT_ONCE)).flatMap(groups.membersOf))]
// By itself a test has a world of its own, as when it is run alone.
delete process.env.TEST_WORLDS
await worlds.close()
if (red.length > SECOND_TRIES) {
  process.exitCode = 1
} else if (red.length > 0) {
  process.stdout.write(`\nOnce more, by themselves:\n${red.join('\n')}\n\n`)
  const still = await failed(red, 1)
  if (still.length > 0) process.exitCode = 1
  else process.stdout.write(`\nGreen by themselves, red among the others; please look at them:\n${red.join('\n')}\n`)
}
