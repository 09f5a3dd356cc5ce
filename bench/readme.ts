/**
 * `npm run bench -- readme` writes the results of the newest runs into `bench/README.md`, between the markers in that
 * file: the table of targets, the cores in use, texts on other disks, the cost of an instance, and the settings for
 * machines with 1, 2 and 4 cores. The results of older versions of Node are only in the table of targets.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Cores } from './parts/cores.ts'
import { medianOf, round, type Spread, valueAt } from './parts/numbers.ts'
import { answerOf, inWords, joined, measuredOf, reachedBy, type Shown } from './reached.ts'
import { type DatedRow, newestByNode } from './results.ts'

const MARKERS = ['<!-- written by `npm run bench -- readme` -->', '<!-- up to here -->'] as const
const file = fileURLToPath(new URL('./README.md', import.meta.url))

const [newest, ...older] = await newestByNode()
if (newest === undefined) throw new Error('bench/results has no run')
const [, rows] = newest

/** Returns the value at this path in the newest result of a bench, or undefined if there is no such value. */
function at(bench: string, ...path: string[]): unknown {
  return valueAt(path, rows.find((row) => row.bench === bench)?.result)
}
const numberAt = (bench: string, ...path: string[]) => at(bench, ...path) as number | undefined
const medianAt = (bench: string, ...path: string[]) => (at(bench, ...path) as Spread | undefined)?.median
const shownAt = (bench: string, ...path: string[]) => {
  const value = at(bench, ...path) as Spread | undefined
  return value && `${value.median} [${value.spread.join('–')}]`
}

const table = (head: readonly string[], lines: readonly (readonly (string | number)[])[]) =>
  [head, head.map(() => '---'), ...lines]
    .map((cells) => `|${cells.map((cell) => (cell === '' ? ' ' : cell)).join('|')}|`)
    .join('\n')

const range = (values: readonly number[], digits: number) => {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits))
  return least === most ? least : `${least} to ${most}`
}

const unique = (values: readonly string[]) => [...new Set(values)].sort().join(', ')
const daysOf = (of: readonly DatedRow[]) => unique(of.map(({ day }) => day))
const machinesOf = (of: readonly DatedRow[]) => unique(of.map(({ result }) => String(result.machine)))

function heading(): string {
  const minutes = Math.ceil(rows.reduce((sum, { seconds }) => sum + seconds, 0) / 60)
  const loads = range(
    rows.map(({ load }) => load),
    1,
  )
  const others = older.map(([, of]) => ` The older version: ${machinesOf(of)}, measured ${daysOf(of)}.`)
  return `Measured ${daysOf(rows)} on ${machinesOf(rows)}: ${rows.length} benches in ${minutes} minutes, load of the machine before each ${loads}.${others.join('')}`
}

/** Groups the values that differ only in their variant, because they have one row of the table. */
function inGroups(all: readonly Shown[]): Shown[][] {
  const groups = new Map<string, Shown[]>()
  for (const each of all) {
    const name = `${each.bench}: ${each.figure}`
    groups.set(name, [...(groups.get(name) ?? []), each])
  }
  return [...groups.values()]
}

/** Returns a short cell with the values of another version of Node, such as `2.9, 2.2: no`. */
function cellOf(group: readonly Shown[], others: readonly Shown[]): string {
  const found = group.flatMap(({ bench, figure, variant }) =>
    others.filter((each) => each.bench === bench && each.figure === figure && each.variant === variant),
  )
  return found.length === 0 ? '' : `${found.map(({ median }) => median).join(', ')}: ${joined(found.map(answerOf))}`
}

function reached(): string {
  const others = older.map(([, of]) => reachedBy(of))
  return table(
    ['Figure', 'To reach', 'Measured', 'Reached', ...older.map(([node]) => `Node ${node}`)],
    inGroups(reachedBy(rows)).map((group) => [
      `${group[0]!.bench}: ${inWords(
        group[0]!.figure,
        group.map(({ variant }) => variant),
      )}`,
      joined(group.map(({ toReach }) => toReach.replace(' ', ''))),
      group.map(measuredOf).join(', '),
      joined(group.map(answerOf)),
      ...others.map((all) => cellOf(group, all)),
    ]),
  )
}

/** Measurements whose use of the cores is shown, each with its bench and its path in the result. */
const IN_USE: [figure: string, bench: string, ...path: string[]][] = [
  ['send-text: 50 instances, saturated', 'send-text', 'saturated_50', 'gateway', 'cores'],
  ['send-group: 10 members', 'send-group', 'of_10', 'gateway', 'cores'],
  ['conversation', 'conversation', 'gateway', 'cores'],
  ['receive: 500 per s on 1', 'receive', '500_per_s_on_1', 'gateway', 'cores'],
  ['receive: 500 per s on 50', 'receive', '500_per_s_on_50', 'gateway', 'cores'],
  ['http-accept: 64 connections', 'http-accept', 'send_text_64', 'cores'],
]
const PROCESSES = ['service', 'network', 'client', 'receiver', 'others', 'idle']

function inUse(): string[] {
  const lines = IN_USE.flatMap(([figure, bench, ...path]) => {
    const cores = at(bench, ...path) as Cores | undefined
    return cores ? [[figure, ...PROCESSES.map((name) => cores[name] ?? '')]] : []
  })
  return lines.length === 0 ? [] : ['### Cores in use', table(['', ...PROCESSES], lines)]
}

/** Names of the disks in the result of `disks`. */
const DISKS = { real: 'of this machine', memory: 'in memory', slow: 'in memory, 4 ms more' }

function disks(): string[] {
  const lines = Object.entries(DISKS).flatMap(([name, words]) => {
    const of = (...path: string[]) => medianOf(at('disks', name, ...path)) as number | undefined
    if (of('disk_ms', 'p50') === undefined) return []
    const measurements = ['in_500_per_s_on_1', 'in_500_per_s_on_50', 'out_50_saturated']
    const [one, many, out] = measurements as [string, string, string]
    const idle = Math.min(...measurements.map((each) => of(each, 'cores', 'idle') ?? 0))
    const values = [of(one, 'p99_ms'), of(many, 'p99_ms'), of(out, 'per_s'), idle]
    return [[words, `${of('disk_ms', 'p50')}, ${of('disk_ms', 'p99')}`, ...values.map((value) => value ?? '')]]
  })
  const head = ['Disk', '`fdatasync` p50, p99 ms', 'received, p99 ms, on 1', 'on 50', 'sent per s', 'cores idle, at least']
  return lines.length === 0 ? [] : ['### The same texts on other disks', table(head, lines)]
}

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
  ...inUse(),
  ...disks(),
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
