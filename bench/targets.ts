/**
 * Targets of the benches. Each has a measured value of a bench and a limit. The tables of a run and of the README are
 * made from these targets (`reached.ts`).
 */
import { medianOf, valueAt } from './parts/numbers.ts'

export interface Row {
  bench: string
  seconds: number
  /** Load average of the machine before the bench started. */
  load: number
  result: Record<string, unknown>
}

export interface Target {
  bench: string
  /**
   * Description of the measured quantity, with its unit. `{}` stands for the variant. Targets that differ only in the
   * variant have one row in the README.
   */
  figure: string
  variant?: string
  /** Path of the value in the result of the bench. If the value is a spread, its median is used. */
  at: readonly string[]
  /** Computes the value from the result. It is used in place of `at`. */
  of?(result: Record<string, unknown>): number | undefined
  least?: number
  most?: number
  /**
   * Returns the reason why this machine cannot measure the value, or false if it can. If the value misses its limit, the
   * reason is shown with it, and the target counts neither as reached nor as missed.
   */
  unless?(result: Record<string, unknown>): string | false
  /** True if the bench runs only if its name is given. */
  isByName?: boolean
  /**
   * Another number that is shown with the value, and its description, for example the time that the disk alone needs.
   */
  beside?: { words: string; at: readonly string[] }
}

type Bound = Pick<Target, 'least' | 'most'>
const of = (bench: string, figure: string, at: string, bound: Bound): Target => ({ bench, figure, at: at.split('.'), ...bound })

const RATES = [50, 200, 500]
const BOOT = '25 a second, as by default'
const bootOf = (size: number) => `${size}, ${BOOT}`

/**
 * Time that the disk alone needs for a write. It is shown beside the result, because each text is written to disk
 * before it is acknowledged.
 */
const DISK = { words: 'disk', at: ['disk_ms', 'p99'] }

/** Number of cores that must be idle while one shard is busy. With fewer, a second shard gets no core of its own. */
const A_CORE = 0.8
const idleWithOne = (result: Record<string, unknown>) => valueAt(['1_shards', 'cores', 'idle'], result) as number
function ofShardForEachCore({ cores, ...result }: Record<string, unknown>, name: string): number | undefined {
  const all = result[name] as number[]
  return all[Math.min(Math.floor(Math.log2(cores as number)), all.length - 1)]
}

/**
 * Number of idle cores below which the machine counts as full: other programs may then have delayed the measured work.
 */
const FULL = 0.2
/**
 * Returns a target of a rate or a delay that does not count as missed if the machine was full. `within` is the path of
 * the result that has the idle cores; `cost` is the path of the CPU time in it, which is then shown too.
 */
function inTime(target: Target, within: string, cost?: string): Target {
  const path = within.split('.')
  return {
    ...target,
    unless(result) {
      const idle = valueAt([...path, 'cores', 'idle'], result) as number | undefined
      // Results of earlier versions of the bench do not say how many cores were idle.
      if (idle === undefined || idle >= FULL) return false
      const own = cost === undefined ? '' : `, own cost ${medianOf(valueAt([...path, cost], result))} ms`
      return `machine full${own}`
    },
  }
}

const ofMembers: readonly Target[] = [
  ...['1', '50'].flatMap((variant) => [
    {
      ...of('cluster', 'CPU of a text out on PostgreSQL against lmdb, on {}', `out_${variant}.cpu_ratio`, { most: 1.2 }),
      variant,
    },
    {
      ...of('cluster', 'CPU of a text in on PostgreSQL against lmdb, on {}', `in_${variant}_at_200.cpu_ratio`, { most: 1.2 }),
      variant,
    },
  ]),
  {
    ...of(
      'cluster',
      'texts per s of a member on two cores of its own, computed, 50 instances',
      'out_50.on_postgres.computed_per_s',
      {
        least: 300,
      },
    ),
    beside: { words: 'measured, on two cores with PostgreSQL and the rest:', at: ['out_50', 'postgres', 'per_s', 'median'] },
  },
  ...['read', 'send'].map((variant) => ({
    ...inTime(
      of('cluster', 'ms added at p50 by another member, {}', `passed_on.${variant}.added_p50_ms`, { most: 2 }),
      `passed_on.${variant}`,
    ),
    variant,
  })),
  inTime(
    of('cluster', 'MB per s of documents to another member', 'passed_on.document.mb_per_s', { least: 100 }),
    'passed_on.document',
  ),
].map((target) => ({ ...target, isByName: true }))

const ofThousand: readonly Target[] = [
  of('thousand', 'RSS in MB, 1,000 idle instances', '1000.idle.rss_mb', { most: 600 }),
  of('thousand', 'CPU in percent of a core, 1,000 idle instances', '1000.idle.cpu_percent', { most: 3 }),
  of('thousand', 's until 1,000 are connected, after a stop', '1000.after_stop.all_s', { most: 40 }),
  of('thousand', 's until 1,000 are connected, after kill -9', '1000.after_kill.all_s', { most: 40 }),
  of('thousand', 'events lost in a burst for 1,000 instances', '1000.burst.lost', { most: 0 }),
  of('thousand', 'events doubled in a burst for 1,000 instances', '1000.burst.doubled', { most: 0 }),
  of('thousand', 's until 1,000 are connected, after a minute without network', '1000.network.back.all_s', { most: 60 }),
  of('thousand', 'loop delay p99 of the shard in ms until then', '1000.network.back.loop.shard.p99_ms', { most: 50 }),
].map((target) => ({ ...target, isByName: true }))

/** Targets of texts to groups, by the number of members. A small group must be cheap too. */
const GROUPS: Record<string, { rate: number; cpu: number }> = {
  10: { rate: 9, cpu: 0.1 },
  50: { rate: 8, cpu: 0.12 },
  100: { rate: 8, cpu: 0.12 },
  500: { rate: 8, cpu: 0.12 },
}
const ofGroups: readonly Target[] = Object.entries(GROUPS).flatMap(([variant, { rate, cpu }]) => [
  {
    ...inTime(
      of('send-group', 'rate against bare, {} members', `of_${variant}.ratio.rate`, { least: rate }),
      `of_${variant}.gateway`,
      'cpu_ms',
    ),
    variant,
  },
  { ...of('send-group', 'CPU against bare, {} members', `of_${variant}.ratio.cpu`, { most: cpu }), variant },
])

const ofReceive: readonly Target[] = [
  ...['1', '50'].flatMap((count) => [
    ...RATES.map((rate) => ({
      ...of('receive', `CPU against bare, {} per s on ${count}`, `${rate}_per_s_on_${count}.cpu_ratio`, { most: 1.5 }),
      variant: String(rate),
    })),
    {
      ...inTime(
        of('receive', 'p99 stanza to webhook in ms, 500 per s on {}', `500_per_s_on_${count}.gateway.p99_ms`, { most: 10 }),
        `500_per_s_on_${count}.gateway`,
        'cpu_ms',
      ),
      variant: count,
      beside: DISK,
    },
  ]),
  inTime(
    of('receive', 'texts per s that one instance keeps up with', 'one_instance.keeps_up_with_per_s', { least: 1_000 }),
    'one_instance',
    'cpu_ms',
  ),
  inTime(
    of('receive', 'loop delay p99 in ms in a burst of 3,000', 'burst.loop_of_shard.p99_ms', { most: 10 }),
    'burst',
    'cpu_ms',
  ),
]

const ofHttpAccept: readonly Target[] = [
  inTime(
    of('http-accept', 'accepted per s, 64 connections', 'send_text_64.per_s', { least: 2_000 }),
    'send_text_64',
    'cpu_ms_each',
  ),
  {
    ...inTime(
      of('http-accept', 'p99 in ms at 2,000 per s, 64 connections', 'send_text_64_at_rate.p99_ms', { most: 20 }),
      'send_text_64_at_rate',
      'cpu_ms_each',
    ),
    beside: DISK,
  },
]

const ofThreads: readonly Target[] = [
  {
    bench: 'threads',
    figure: 'texts per s with a shard for each core (4 at most) against one',
    at: [],
    of: (result) => ofShardForEachCore(result, 'rate_against_one'),
    least: 1.6,
    unless: (result) =>
      idleWithOne(result) < A_CORE && `with one shard only ${idleWithOne(result)} of ${result.cores} cores were idle`,
  },
  {
    bench: 'threads',
    figure: 'CPU per text with a shard for each core (4 at most) against one',
    at: [],
    of: (result) => ofShardForEachCore(result, 'cpu_against_one'),
    most: 1.15,
  },
]

export const TARGETS: readonly Target[] = [
  { ...of('send-text', 'CPU against bare, saturated on {}', 'saturated_1.ratio.cpu', { most: 1.6 }), variant: '1' },
  { ...of('send-text', 'CPU against bare, saturated on {}', 'saturated_20.ratio.cpu', { most: 1.4 }), variant: '20' },
  inTime(
    of('send-text', 'texts per s, 50 instances', 'saturated_50.gateway.per_s', { least: 600 }),
    'saturated_50.gateway',
    'cpu_ms',
  ),
  { ...of('send-text', 'commits per text, on {}', 'saturated_1.commits_per_text', { most: 4 }), variant: '1' },
  { ...of('send-text', 'commits per text, on {}', 'saturated_50.commits_per_text', { most: 1.5 }), variant: '50' },
  ...ofGroups,
  of('conversation', 'CPU against bare', 'ratio.cpu', { most: 1.2 }),
  ...ofReceive,
  ...ofHttpAccept,
  ...[
    ['shard saturated', 'saturated_shard'],
    ['60 MB body arrives', 'accepting_body'],
    ['film is converted', 'converting_film'],
  ].map(([variant, name]) => ({
    ...of('isolation', 'p99 of GET /status in ms, {}', `${name}.p99`, { most: 20 }),
    variant: variant!,
  })),
  of('memory', 'RSS in MB, empty, one shard', 'empty_mb', { most: 120 }),
  of('memory', 'MB per idle connected instance', 'slope_mb_per_instance', { most: 0.7 }),
  {
    ...of('memory', 'RSS on 50 instances, after the last quarter of the texts against the first', '', { most: 1.1 }),
    at: ['growth_from_first_to_last_quarter'],
    beside: { words: 'texts:', at: ['texts'] },
  },
  {
    ...of('after-load', 'RSS five minutes after 10,000 texts each way against before', 'growth', { most: 1.2 }),
    isByName: true,
  },
  ...[100, 200].flatMap((size) => {
    // The target is 5 s for 100 instances, and twice the time for twice as many.
    const most = size / 20
    return [
      {
        ...of('boot', `s until ${size} are connected, after {}`, '', { most }),
        at: [bootOf(size), 'after_stop', 'all_s'],
        variant: 'a stop',
      },
      {
        ...of('boot', `s until ${size} are connected, after {}`, '', { most }),
        at: [bootOf(size), 'after_kill', 'all_s'],
        variant: 'kill -9',
      },
    ]
  }),
  of('reconnect', 'CPU each, last part against the first', 'last_against_first.cpu', { most: 1.1 }),
  of('reconnect', 'heap after a collection, last part against the first', 'last_against_first.heap', { most: 1.1 }),
  of('queue', 's longer to boot with waiting items', 'boot_s.longer', { most: 1 }),
  of('queue', 'p99 of a page of 100 in ms', 'page_of_100_ms.p99', { most: 10 }),
  ...ofThreads,
  {
    ...of('media', 'MB per s against plain, {}', 'encrypt_and_upload.rate_ratio', { least: 0.8 }),
    variant: 'encrypted and uploaded',
  },
  ...['send', 'receive'].map((shape) => ({
    ...of('store-backends', 'CPU of a commit against lmdb, {}, 10 writers', `${shape}_by_10.ratio.service_cpu`, { most: 1.2 }),
    variant: shape,
  })),
  {
    ...of('media', 'MB per s against plain, {}', 'download_and_decrypt.rate_ratio', { least: 0.8 }),
    variant: 'downloaded and decrypted',
  },
  ...ofMembers,
  ...ofThousand,
]
