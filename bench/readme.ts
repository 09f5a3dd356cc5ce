/**
 * `npm run bench -- readme` writes the results of the newest runs into `bench/README.md`, between the markers in that
 * file: the table of targets, the cost of an instance, and the capacity of machines with 1, 2 and 4 cores.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { round, type Spread } from './parts/numbers.ts'
import { newestRows } from './results.ts'
import { answerOf, reachedBy } from './targets.ts'

const MARKERS = ['<!-- written by `npm run bench -- readme` -->', '<!-- up to here -->'] as const
const file = fileURLToPath(new URL('./README.md', import.meta.url))

const rows = await newestRows()
if (rows.length === 0) throw new Error('bench/results has no run')

/** Returns the value at this path in the newest result of a bench, or undefined if the bench was not run. */
function at(bench: string, ...path: string[]): unknown {
  const result: unknown = rows.find((row) => row.bench === bench)?.result
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], result)
}
const numberAt = (bench: string, ...path: string[]) => at(bench, ...path) as number | undefined
const medianAt = (bench: string, ...path: string[]) => (at(bench, ...path) as Spread | undefined)?.median
const shownAt = (bench: string, ...path: string[]) => {
  const value = at(bench, ...path) as Spread | undefined
  return value && `${value.median} [${value.spread.join(', ')}]`
}

const table = (head: readonly string[], lines: readonly (readonly (string | number)[])[]) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const range = (values: readonly number[], digits: number) => {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits))
  return least === most ? least : `${least} to ${most}`
}

function heading(): string {
  const days = [...new Set(rows.map(({ day }) => day))].sort()
  const machines = [...new Set(rows.map(({ result }) => String(result.machine)))]
  const minutes = Math.ceil(rows.reduce((sum, { seconds }) => sum + seconds, 0) / 60)
  const loads = range(
    rows.map(({ load }) => load),
    1,
  )
  return `Measured ${days.join(', ')} on ${machines.join('; ')}: ${rows.length} benches in ${minutes} minutes, load of the machine before each ${loads}.`
}

const inSigns = (bound: string) => bound.replace('at most', '≤').replace('at least', '≥')

const reached = () =>
  table(
    ['Figure', 'To reach', 'Measured', 'Reached'],
    reachedBy(rows).map((each) => [`${each.bench}: ${each.figure}`, inSigns(each.toReach), each.measured, answerOf(each)]),
  )

/**
 * Returns the memory in MB of each shard after the first. It is computed from two results: with 1 shard, and with the
 * largest number of shards.
 */
function shardMb(): number | undefined {
  const mb = (shards: number) => numberAt('threads', `${shards}_shards`, 'rss_mb')
  const [one, most] = [mb(1), [4, 2].find((shards) => mb(shards) !== undefined)]
  return one === undefined || most === undefined ? undefined : Math.round((mb(most)! - one) / (most - 1))
}

const emptyMb = numberAt('memory', 'empty_mb')
const slopeMb = numberAt('memory', 'slope_mb_per_instance')
const idleOf = (at('memory', 'idle') ?? {}) as Record<string, { rss_mb: number; cpu_percent: number }>
const [instances, idle] = Object.entries(idleOf).at(-1) ?? []
const loginMs = numberAt('boot', '200, gate lifted', 'after_stop', 'cpu_ms_per_login')

function costs(): string {
  const lines: [string, string | number | undefined][] = [
    ['the service empty, one shard', emptyMb && `${emptyMb} MB`],
    ['each shard more, under load', shardMb() && `${shardMb()} MB`],
    ['with its first 10 idle connected instances', idleOf[10] && `${idleOf[10].rss_mb} MB`],
    ['each idle connected instance more', slopeMb && `${slopeMb} MB`],
    [`${instances} idle connected instances`, idle && `${idle.cpu_percent} % of a core`],
    ['a start, each saved instance', loginMs && `${loginMs} ms of a core`],
    [
      'a text sent with its three webhooks, 1 instance',
      shownAt('send-text', 'saturated_1', 'gateway', 'cpu_ms') &&
        `${shownAt('send-text', 'saturated_1', 'gateway', 'cpu_ms')} ms`,
    ],
    [
      'the same, 50 instances',
      shownAt('send-text', 'saturated_50', 'gateway', 'cpu_ms') &&
        `${shownAt('send-text', 'saturated_50', 'gateway', 'cpu_ms')} ms, ${medianAt('send-text', 'saturated_50', 'gateway', 'per_s')} a second`,
    ],
    [
      'the first text to a group of 500 strangers',
      shownAt('send-group', 'first_text_to_500', 'gateway', 'cpu_ms') &&
        `${shownAt('send-group', 'first_text_to_500', 'gateway', 'cpu_ms')} ms; the bare library ${shownAt('send-group', 'first_text_to_500', 'bare', 'cpu_ms')}`,
    ],
    ...[1, 50].map((count): [string, string | undefined] => {
      const cost = shownAt('receive', `200_per_s_on_${count}`, 'gateway', 'cpu_ms')
      return [`a text received with its webhook, 200 a second on ${count}`, cost && `${cost} ms`]
    }),
  ]
  return table(
    ['', 'Costs'],
    lines.flatMap(([what, cost]) => (cost === undefined ? [] : [[what, cost]])),
  )
}

/** Number of shards by number of cores, as `defaultShards` of `src/config.ts` computes it. */
const SHARDS: Record<number, number> = { 1: 1, 2: 1, 4: 3 }
const DEFAULT = { heapMb: 512, webhooks: 128, starts: 25 }
/**
 * Share of each shard's core that logins after a start may use. The rest is for the instances that are already
 * connected.
 */
const SHARE_OF_STARTS = 0.75

function settings(): string {
  const lines = Object.entries(SHARDS).map(([cores, shards]) => {
    const starts = loginMs === undefined ? DEFAULT.starts : Math.floor((SHARE_OF_STARTS * 1_000 * shards) / loginMs)
    const mb = (instances: number) =>
      idleOf[10] === undefined || slopeMb === undefined
        ? '-'
        : Math.round(idleOf[10].rss_mb + (instances - 10) * slopeMb + (shards - 1) * (shardMb() ?? 80))
    return [
      cores,
      `${shards} (default)`,
      `${DEFAULT.heapMb} (default)`,
      Number(cores) === 1 ? DEFAULT.webhooks / 2 : `${DEFAULT.webhooks} (default)`,
      starts < DEFAULT.starts ? round(starts, 0) : `${DEFAULT.starts} (default)`,
      `${mb(10)}, ${mb(50)}, ${mb(200)}`,
    ]
  })
  return table(
    [
      'Cores',
      '`SVC_SHARDS`',
      '`SVC_SHARD_HEAP_MB`',
      '`SVC_WEBHOOK_CONCURRENCY`',
      '`SVC_STARTS_PER_SECOND`',
      'MB with 10, 50, 200 idle instances',
    ],
    lines,
  )
}

const written = [
  heading(),
  reached(),
  '![CPU and memory against instances and rate](chart.svg)',
  '### What one instance costs',
  costs(),
  '### What to set',
  settings(),
].join('\n\n')
const text = await readFile(file, 'utf8')
const [start, end] = MARKERS.map((marker) => text.indexOf(marker)) as [number, number]
if (start < 0 || end < start) throw new Error(`bench/README.md lacks its markers, ${MARKERS.join(' and ')}`)
await writeFile(file, `${text.slice(0, start + MARKERS[0].length)}\n${written}\n${text.slice(end)}`)
process.stdout.write(`\n${written}\n\nbench/README.md has these numbers.\n`)
