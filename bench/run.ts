/**
 * `npm run bench` runs the benches with targets (`targets.ts`) one after another, except those that run by name only.
 * It writes one JSON file for the run, the chart, and the numbers of the README. `npm run bench -- NAME …` runs only
 * these benches. `-- chart` and `-- readme` run none, and use the newest files. `-- smoke` only checks, in random
 * order, whether the benches of `npm run bench` work. `BENCH_SECONDS` limits the time of a run.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { answerOf, inWords, measuredOf, reachedBy } from './reached.ts'
import { writeResults } from './results.ts'
import { type Row, TARGETS } from './targets.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const NOT_BENCHES = new Set(['run', 'measure', 'chart', 'readme', 'reached', 'results', 'targets'])
const files = (await readdir(folder)).flatMap((name) => (name.endsWith('.ts') ? [name.slice(0, -3)] : []))
const names = files.filter((name) => !NOT_BENCHES.has(name)).sort()
/** Benches that run if no name is given. They take about eighteen minutes on two cores. */
const known = [...new Set(TARGETS.flatMap(({ bench, isByName }) => (isByName ? [] : [bench])))]
const wanted = process.argv.slice(2)
const [mode] = wanted
const isSmoke = mode === 'smoke'
if (mode === 'chart' || mode === 'readme') {
  await import(`./${mode}.ts`)
  process.exit(0)
}
const unknown = wanted.filter((name) => name !== 'smoke' && !names.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(', ')}. There are: ${names.join(', ')}\n`)
  process.exit(2)
}
const isAll = wanted.length === 0
const inChanceOrder = (all: readonly string[]) =>
  all
    .map((name) => ({ name, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name)
const chosen = isSmoke ? inChanceOrder(known) : isAll ? known : wanted

/** Time at which the run ends, in ms after the start of this process. By default the run has no limit. */
const endsAt = Number(process.env.BENCH_SECONDS ?? Number.POSITIVE_INFINITY) * 1_000
/**
 * Time limit of each bench in ms, if all benches run, so that a bench that hangs does not use up the time of the
 * others. The longest bench, `memory`, waits four times for 85 s.
 */
const MOST_OF_ONE = isAll ? 600_000 : Number.POSITIVE_INFINITY
const env = { ...process.env, BENCH_BUILT: '1', ...(isSmoke ? { BENCH_SMOKE: '1' } : {}) }

const running = new Set<ChildProcess>()
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    for (const child of running) child.kill('SIGTERM')
    process.exit(1)
  })

async function runOne(bench: string): Promise<Row> {
  const began = performance.now()
  const load = loadavg()[0]!
  const child = spawn(process.execPath, ['--import', 'tsx', `${folder}${bench}.ts`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    if (!isSmoke) process.stdout.write(chunk)
  })
  let why: 'out_of_time' | 'too_long' | undefined
  const end = (reason: typeof why) => () => {
    why ??= reason
    child.kill('SIGTERM')
  }
  running.add(child)
  const timers = [
    ...(Number.isFinite(endsAt) ? [setTimeout(end('out_of_time'), Math.max(0, endsAt - began))] : []),
    ...(Number.isFinite(MOST_OF_ONE) ? [setTimeout(end('too_long'), MOST_OF_ONE)] : []),
  ]
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  running.delete(child)
  timers.forEach(clearTimeout)
  const line = out.trim().split('\n').at(-1) ?? ''
  const result =
    code === 0 ? JSON.parse(line) : why === 'out_of_time' ? { out_of_time: true } : { failed: why ?? code ?? 'a signal' }
  const row = { bench, seconds: Math.round((performance.now() - began) / 1_000), load, result }
  if (isSmoke) printMeasured(row)
  return row
}

/** Formats a result as lines, one for each value: `saturated_1 ratio cpu  2.1 [1.9, 2.4]`. */
function lines(value: unknown, path: string[] = []): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path.join(' '), String(value)]]
  if ('median' in value && 'spread' in value)
    return [[path.join(' '), `${value.median} [${(value.spread as number[]).join(', ')}]`]]
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return [[path.join(' '), value.join(', ')]]
  return Object.entries(value).flatMap(([name, each]) => lines(each, [...path, name]))
}

function printMeasured({ bench, seconds, load, result }: Row) {
  if (isSmoke) {
    const how = 'failed' in result ? `does not work: ${result.failed}` : 'out_of_time' in result ? 'had no time to end' : 'works'
    process.stdout.write(`${bench} ${how} (${seconds} s)\n`)
    return
  }
  const { question, machine: _, note, ...measured } = result
  process.stdout.write(`\n${bench} (${seconds} s, load before ${load.toFixed(1)})${question ? `: ${question}` : ''}\n`)
  for (const [name, value] of lines(measured)) process.stdout.write(`  ${name.padEnd(44)} ${value}\n`)
  if (note) process.stdout.write(`  note: ${note}\n`)
}

function printTable(rows: readonly Row[]) {
  const table = reachedBy(rows).map((each) => [
    each.bench,
    inWords(each.figure, [each.variant]),
    each.toReach,
    measuredOf(each),
    answerOf(each),
  ])
  if (table.length === 0) return
  const all = [['bench', 'figure', 'to reach', 'measured', 'reached'], ...table]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((cells) => cells[column]!.length)))
  process.stdout.write('\n')
  for (const cells of all)
    process.stdout.write(
      `${cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()}\n`,
    )
}

if (process.env.BENCH_BUILT !== '1') execFileSync('npm', ['run', '--silent', 'build'], { cwd: `${folder}..`, stdio: 'inherit' })
const began = performance.now()
const rows: Row[] = []
const left = [...chosen]
async function runLeft() {
  while (left.length > 0 && performance.now() < endsAt - 5_000) rows.push(await runOne(left.shift()!))
}
// A smoke run runs two benches at once. They slow each other down, but a smoke run only checks whether they work.
await Promise.all(Array.from({ length: isSmoke ? 2 : 1 }, runLeft))
if (left.length > 0) process.stdout.write(`There is no time left for ${left.join(', ')}.\n`)

if (!isSmoke) {
  rows.forEach(printMeasured)
  printTable(rows)
  process.stdout.write(`\nAll of it took ${Math.round((performance.now() - began) / 1_000)} s.\n`)
  process.stdout.write(`Written to ${await writeResults(rows)}\n`)
}
if (isAll) {
  await import('./chart.ts')
  await import('./readme.ts')
}
process.exit(rows.some(({ result }) => 'failed' in result) ? 1 : 0)
