/**
 * `scripts/test.mjs` loads this module into each test process. When the process ends, the module appends a line to the
 * file in `TEST_CPU`: the CPU time in seconds of the process and its ended child processes, and the test file. Only
 * Linux tells these times. Most of the time of Chromium is missing, because its pages are drawn by processes that end
 * after their parents.
 */
const { appendFileSync, existsSync, readFileSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

const STAT = '/proc/self/stat'
/** Every Linux in use counts CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100

function secondsSoFar() {
  const stat = readFileSync(STAT, 'utf8')
  // The name of the program, which may contain spaces, is in parentheses. The times of the process are the fields 14
  // and 15, and those of its ended children the next two.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

const file = process.env.TEST_CPU
if (isMainThread && file && existsSync(STAT))
  process.on('exit', () => appendFileSync(file, `${secondsSoFar()} ${process.argv[1]}\n`))

module.exports = { secondsSoFar: existsSync(STAT) ? secondsSoFar : () => undefined }
