/**
 * `npm run bench`: the benches of the table below one after another, each in a process of its own; then one table, and one JSON file for the
 * run. `npm run bench -- NAME …`: these. `npm run bench -- smoke`: does each one work? Small amounts, in chance order, as many as there is time
 * for (`BENCH_SECONDS`); one that runs out of time has not failed.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
/** Those of a run without names, in about fifteen minutes on two cores, with what is to be reached. */
const GOALS: Record<string, string> = {
  'send-text': 'CPU 2 x bare, saturated, with 1 and with many instances; 800 a second with 50; commits per text 4 and 1.5',
  'send-group': 'rate 8 x bare, CPU 0.12 x',
  conversation: 'CPU 2 x bare',
  receive: "CPU at most bare's; p99 10 ms at 500 a second, also on one instance; it keeps up with 1,000 a second; loop p99 10 ms",
  'http-accept': '2,000 a second, p99 20 ms, over 64 connections',
  isolation: 'p99 of GET /status below 20 ms',
  memory: '120 MB empty on one shard, 0.7 MB an instance, flat within 10 %',
  boot: '100 within 5 s both ways, linear',
  reconnect: 'heap and CPU per reconnect flat',
  queue: 'a boot at most 1 s longer, a page below 10 ms',
  threads: 'near-linear to the cores there are',
  media: 'within 20 % of plain node:crypto',
}
const NOT_BENCHES = new Set(['run', 'measure', 'chart'])
const files = (await readdir(folder)).flatMap((name) => (name.endsWith('.ts') ? [name.slice(0, -3)] : []))
const names = files.filter((name) => !NOT_BENCHES.has(name)).sort()
const wanted = process.argv.slice(2)
const isSmoke = wanted[0] === 'smoke'
const known = Object.keys(GOALS).filter((name) => names.includes(name))
if (wanted[0] === 'chart') {
  await import('./chart.ts')
  process.exit(0)
}
const unknown = wanted.filter((name) => name !== 'smoke' && !names.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(', ')}. There are: ${names.join(', ')}\n`)
  process.exit(2)
}
const chosen = isSmoke
  ? known
      .map((name) => ({ name, at: Math.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ name }) => name)
  : wanted.length > 0
    ? wanted
    : known

/** Ends with this second of this process; none: never. */
const endsAt = Number(process.env.BENCH_SECONDS ?? Number.POSITIVE_INFINITY) * 1_000
const env = { ...process.env, BENCH_BUILT: '1', ...(isSmoke ? { BENCH_SMOKE: '1' } : {}) }

interface Row {
  bench: string
  seconds: number
  load: number
  result: Record<string, unknown>
}

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
    process.stdout.write(chunk)
  })
  let isLate = false
  const late = () => {
    isLate = true
    child.kill('SIGTERM')
  }
  const timer = Number.isFinite(endsAt) ? setTimeout(late, Math.max(0, endsAt - began)) : undefined
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  clearTimeout(timer)
  const line = out.trim().split('\n').at(-1) ?? ''
  const result = code === 0 ? JSON.parse(line) : isLate ? { out_of_time: true } : { failed: code ?? 'a signal' }
  return { bench, seconds: Math.round((performance.now() - began) / 1_000), load, result }
}

/** What was measured, a line each: `saturated_1 ratio cpu  2.1 [1.9, 2.4]`. */
function lines(value: unknown, path: string[] = []): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path.join(' '), String(value)]]
  if ('median' in value && 'spread' in value)
    return [[path.join(' '), `${value.median} [${(value.spread as number[]).join(', ')}]`]]
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return [[path.join(' '), value.join(', ')]]
  return Object.entries(value).flatMap(([name, each]) => lines(each, [...path, name]))
}

if (process.env.BENCH_BUILT !== '1') execFileSync('npm', ['run', '--silent', 'build'], { cwd: `${folder}..`, stdio: 'inherit' })
const rows: Row[] = []
for (const name of chosen) {
  if (performance.now() > endsAt - 5_000) {
    process.stdout.write(`There is no time left for ${chosen.slice(rows.length).join(', ')}.\n`)
    break
  }
  rows.push(await runOne(name))
}

for (const { bench, seconds, load, result } of rows) {
  const { question, machine: _, note, ...measured } = result
  process.stdout.write(`\n${bench} (${seconds} s, load before ${load.toFixed(1)})${question ? `: ${question}` : ''}\n`)
  if (GOALS[bench]) process.stdout.write(`  to reach: ${GOALS[bench]}\n`)
  if (isSmoke && !('failed' in result)) continue
  for (const [name, value] of lines(measured)) process.stdout.write(`  ${name.padEnd(44)} ${value}\n`)
  if (note) process.stdout.write(`  note: ${note}\n`)
}
if (!isSmoke) {
  const results = `${folder}results`
  await mkdir(results, { recursive: true })
  const file = `${results}/${new Date().toISOString().replaceAll(':', '-')}.json`
  await writeFile(file, `${JSON.stringify(rows, undefined, 2)}\n`)
  process.stdout.write(`\nWritten to ${file.slice(folder.length - 'bench/'.length)}\n`)
}
process.exit(rows.some(({ result }) => 'failed' in result) ? 1 : 0)
