/**
 * Targets of the benches. Each has a measured value of a bench and a limit. The tables of a run and of the README are
 * made from these targets.
 */
import type { Spread } from './parts/numbers.ts'

export interface Row {
  bench: string
  seconds: number
  /** Load average of the machine before the bench started. */
  load: number
  result: Record<string, unknown>
}

interface Target {
  bench: string
  /** Description of the measured quantity, with its unit. */
  figure: string
  /** Path of the value in the result of the bench. If the value is a spread, its median is used. */
  at: readonly string[]
  /** Computes the value from the result. It is used in place of `at`. */
  of?(result: Record<string, unknown>): number | undefined
  least?: number
  most?: number
  /**
   * Returns the reason why this machine cannot measure the value, or false if it can. If the value misses its limit, the
   * reason is shown in place of the result.
   */
  unless?(result: Record<string, unknown>): string | false
  /** True if the bench runs only if its name is given. */
  isByName?: boolean
  /**
   * Another number that is shown with the value, and its description, for example the time that the disk alone needs.
   */
  beside?: { words: string; at: readonly string[] }
}

export interface Shown {
  bench: string
  figure: string
  /** The limit in words, such as `at least 800`. */
  toReach: string
  measured: string
  isReached: boolean | undefined
}

type Bound = Pick<Target, 'least' | 'most'>
const of = (bench: string, figure: string, at: string, bound: Bound): Target => ({ bench, figure, at: at.split('.'), ...bound })

const RATES = [50, 200, 500]
const SIZES = [10, 50, 100, 500]
const BOOT = '25 a second, as by default'
const bootOf = (size: number) => `${size}, ${BOOT}`

/**
 * Time that the disk alone needs for a write. It is shown beside the result, because each text is written to disk
 * before it is acknowledged.
 */
const DISK = { words: 'p99 of the disk alone', at: ['disk_ms', 'p99'] }

/** Number of cores that must be idle while one shard is busy. With fewer idle cores, a second shard has no effect. */
const A_CORE = 0.8
const idleWithOne = (result: Record<string, unknown>) => (result['1_shards'] as { cores_idle: Spread }).cores_idle.median
function ofShardForEachCore({ cores, ...result }: Record<string, unknown>, name: string): number | undefined {
  const all = result[name] as number[]
  return all[Math.min(Math.floor(Math.log2(cores as number)), all.length - 1)]
}

/**
 * Number of idle cores below which the machine counts as full: other programs may then have delayed the measured work.
 */
const FULL = 0.2
const unlessFull =
  (idleAt: string) =>
  (result: Record<string, unknown>): string | false => {
    const idle = found(idleAt.split('.'), result) as number
    return idle < FULL && `cannot be said: ${idle} cores were idle`
  }
const ofMembers: readonly Target[] = [
  ...[1, 50].flatMap((instances) => [
    of('cluster', `CPU of a text out on PostgreSQL against lmdb, ${instances}`, `out_${instances}.cpu_ratio`, { most: 1.2 }),
    of('cluster', `CPU of a text in on PostgreSQL against lmdb, ${instances}`, `in_${instances}_at_200.cpu_ratio`, { most: 1.2 }),
  ]),
  {
    ...of('cluster', 'texts per s of a member, 50 instances', 'out_50.postgres.per_s', { least: 300 }),
    unless: unlessFull('out_50.on_postgres.cores.idle'),
    beside: { words: 'computed from its own CPU', at: ['out_50', 'on_postgres', 'computed_per_s'] },
  },
  ...['read', 'send'].map((name) => ({
    ...of('cluster', `ms added at p50 by another member, ${name}`, `passed_on.${name}.added_p50_ms`, { most: 2 }),
    unless: unlessFull(`passed_on.${name}.cores_idle`),
  })),
  {
    ...of('cluster', 'MB per s of documents to another member', 'passed_on.document.mb_per_s', { least: 100 }),
    unless: unlessFull('passed_on.document.cores_idle'),
  },
].map((target) => ({ ...target, isByName: true }))

export const TARGETS: readonly Target[] = [
  of('send-text', 'CPU against bare, 1 instance saturated', 'saturated_1.ratio.cpu', { most: 2 }),
  of('send-text', 'CPU against bare, 20 instances saturated', 'saturated_20.ratio.cpu', { most: 2 }),
  of('send-text', 'texts per s, 50 instances', 'saturated_50.gateway.per_s', { least: 800 }),
  of('send-text', 'commits per text, 1 instance', 'saturated_1.commits_per_text', { most: 4 }),
  of('send-text', 'commits per text, 50 instances', 'saturated_50.commits_per_text', { most: 1.5 }),
  ...SIZES.flatMap((size) => [
    of('send-group', `rate against bare, ${size} members`, `of_${size}.ratio.rate`, { least: 8 }),
    of('send-group', `CPU against bare, ${size} members`, `of_${size}.ratio.cpu`, { most: 0.12 }),
  ]),
  of('conversation', 'CPU against bare', 'ratio.cpu', { most: 2 }),
  ...[1, 50].flatMap((instances) => [
    ...RATES.map((rate) =>
      of('receive', `CPU against bare, ${rate} per s on ${instances}`, `${rate}_per_s_on_${instances}.cpu_ratio`, { most: 1 }),
    ),
    {
      ...of('receive', `p99 stanza to webhook in ms, 500 per s on ${instances}`, `500_per_s_on_${instances}.gateway.p99_ms`, {
        most: 10,
      }),
      beside: DISK,
    },
  ]),
  of('receive', 'texts per s that one instance keeps up with', 'one_instance.keeps_up_with_per_s', { least: 1_000 }),
  of('receive', 'loop delay p99 in ms in a burst of 3,000', 'burst.loop_of_shard.p99_ms', { most: 10 }),
  of('http-accept', 'accepted per s, 64 connections', 'send_text_64.per_s', { least: 2_000 }),
  {
    ...of('http-accept', 'p99 in ms at 2,000 per s, 64 connections', 'send_text_64_at_rate.p99_ms', { most: 20 }),
    beside: DISK,
  },
  of('isolation', 'p99 of GET /status in ms, shard saturated', 'saturated_shard.p99', { most: 20 }),
  of('isolation', 'p99 of GET /status in ms, 60 MB body arrives', 'accepting_body.p99', { most: 20 }),
  of('isolation', 'p99 of GET /status in ms, film is converted', 'converting_film.p99', { most: 20 }),
  of('memory', 'RSS in MB, empty, one shard', 'empty_mb', { most: 120 }),
  of('memory', 'MB per idle connected instance', 'slope_mb_per_instance', { most: 0.7 }),
  of('memory', 'RSS after the last quarter of the texts against the first', 'growth_from_first_to_last_quarter', { most: 1.1 }),
  ...[100, 200].flatMap((size) => {
    // The target is 5 s for 100 instances, and twice the time for twice as many.
    const most = size / 20
    return [
      { ...of('boot', `s until ${size} are connected, after a stop`, '', { most }), at: [bootOf(size), 'after_stop', 'all_s'] },
      { ...of('boot', `s until ${size} are connected, after kill -9`, '', { most }), at: [bootOf(size), 'after_kill', 'all_s'] },
    ]
  }),
  of('reconnect', 'CPU each, last part against the first', 'last_against_first.cpu', { most: 1.1 }),
  of('reconnect', 'heap after a collection, last part against the first', 'last_against_first.heap', { most: 1.1 }),
  of('queue', 's longer to boot with waiting items', 'boot_s.longer', { most: 1 }),
  of('queue', 'p99 of a page of 100 in ms', 'page_of_100_ms.p99', { most: 10 }),
  {
    bench: 'threads',
    figure: 'texts per s with a shard for each core (4 at most) against one',
    at: [],
    of: (result) => ofShardForEachCore(result, 'rate_against_one'),
    least: 1.6,
    unless: (result) =>
      idleWithOne(result) < A_CORE &&
      `cannot be said: with one shard ${idleWithOne(result)} of ${result.cores} cores were idle, the rest was taken`,
  },
  {
    bench: 'threads',
    figure: 'CPU per text with a shard for each core (4 at most) against one',
    at: [],
    of: (result) => ofShardForEachCore(result, 'cpu_against_one'),
    most: 1.15,
  },
  of('media', 'MB per s against plain, encrypted and uploaded', 'encrypt_and_upload.rate_ratio', { least: 0.8 }),
  ...['send', 'receive'].map((shape) =>
    of('store-backends', `CPU of a commit against lmdb, ${shape}, 10 writers`, `${shape}_by_10.ratio.service_cpu`, { most: 1.2 }),
  ),
  of('media', 'MB per s against plain, downloaded and decrypted', 'download_and_decrypt.rate_ratio', { least: 0.8 }),
  ...ofMembers,
]

const isSpread = (value: unknown): value is Spread => typeof value === 'object' && value !== null && 'median' in value

function found(at: readonly string[], result: Record<string, unknown>): unknown {
  return at.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], result)
}

function shown(target: Target, result: Record<string, unknown>): Shown {
  const { bench, figure, least, most } = target
  const toReach = least === undefined ? `at most ${most}` : `at least ${least.toLocaleString('en')}`
  if ('failed' in result) return { bench, figure, toReach, measured: 'the bench failed', isReached: undefined }
  const value = target.of ? target.of(result) : found(target.at, result)
  const number = isSpread(value) ? value.median : value
  if (typeof number !== 'number') return { bench, figure, toReach, measured: 'not measured', isReached: undefined }
  const own = isSpread(value) ? `${value.median} [${value.spread.join(', ')}]` : String(number)
  const other = target.beside && found(target.beside.at, result)
  const measured = typeof other === 'number' ? `${own}; ${target.beside!.words} ${other}` : own
  const isReached = least === undefined ? number <= most! : number >= least
  const why = !isReached && target.unless?.(result)
  if (why) return { bench, figure, toReach, measured: `${measured}; ${why}`, isReached: undefined }
  return { bench, figure, toReach, measured, isReached }
}

export const reachedBy = (rows: readonly Row[]): Shown[] =>
  rows.flatMap(({ bench, result }) => TARGETS.filter((target) => target.bench === bench).map((target) => shown(target, result)))

export const answerOf = ({ isReached }: Shown) => (isReached === undefined ? '?' : isReached ? 'yes' : 'no')
