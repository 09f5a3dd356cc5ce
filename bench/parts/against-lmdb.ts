/**
 * Compares a member of a cluster on PostgreSQL with a service on lmdb, in alternating rounds: the processor time of a
 * text in each direction, the rate of texts, and the time from stanza to webhook. Both have the same number of
 * connected instances.
 */
import { cpus } from 'node:os'
import {
  amount,
  type Bench,
  cpuMs,
  idleMs,
  type Loaded,
  loaded,
  type Measured,
  phoneNumbers,
  ROUNDS,
  round,
  shownSide,
  spread,
} from '../measure.ts'
import type { BenchMember } from './members.ts'
import { type ReceivingRound, type ReceivingSide, receiveRound, sendRound, serviceSide } from './rounds.ts'
import { threadTimes, timesBetween } from './thread-times.ts'

const MANY = amount(50, 3)
const TEXTS: Record<number, number> = { 1: amount(150, 10), [MANY]: amount(500, 20) }
const SECONDS = amount(1.5, 1)
/**
 * Measurements of received texts: the number of instances that receive them, and the texts per second of all these
 * instances together.
 */
const RECEIVED = [
  { instances: 1, rate: amount(200, 20) },
  { instances: MANY, rate: amount(50, 20) },
  { instances: MANY, rate: amount(200, 20) },
]
/** Number of texts that each service sends and receives before the measurement. */
const WARM = { out: amount(1_000, 10), in: amount(1_500, 10) }
/** Largest number of texts that are queued at a time. The queue of an instance has at most 1,000 items. */
const AT_ONCE = 500
/** Number of cores of the machine for which the rate of a member alone is computed. */
const CORES = 2
const FIRST = { postgres: 1_000, lmdb: 2_000 }
const SENDERS = phoneNumbers(3_000, MANY)

type Store = 'postgres' | 'lmdb'
const STORES = ['lmdb', 'postgres'] as const
const perStore = <T>(make: (store: Store) => T): Record<Store, T> => ({ lmdb: make('lmdb'), postgres: make('postgres') })

export interface Others {
  /** Returns the CPU time that the database server has used until now, in ms. */
  postgresMs(): number
  networkPid: number
}

interface Sent extends Measured {
  /** Number of cores that each process used, that were idle, and that all other programs of the machine used. */
  cores: Record<string, number>
  /** CPU time in ms of the main thread and of the shard, for each text. */
  main: number
  shard: number
}

/** Runs `sendRound`, and also measures how many cores each of the processes used. */
async function sendMeasured(side: Loaded, others: Others, contact: string, instances: number): Promise<Sent> {
  const urls = side.instances.slice(0, instances).map(({ api_url }) => `${api_url}/send-text`)
  const count = TEXTS[instances]!
  const look = () => ({
    postgres: others.postgresMs(),
    network: cpuMs(others.networkPid),
    client: cpuMs(side.driver.pid),
    receiver: cpuMs(side.receiver.pid),
    service: cpuMs(side.pid),
    idle: idleMs(),
  })
  const [before, threads, begun] = [look(), threadTimes(side.pid), performance.now()]
  const measured = await sendRound(side, { urls, contact, count })
  const [after, took] = [look(), performance.now() - begun]
  const { main, shard } = timesBetween(side.pid, threads, threadTimes(side.pid))
  const names = Object.keys(before) as (keyof typeof before)[]
  const cores = Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / took]))
  const left = cpus().length - Object.values(cores).reduce((sum, used) => sum + used, 0)
  return { ...measured, cores: { ...cores, others: left }, main: main / count, shard: shard / count }
}

async function warm(bench: Bench, side: Loaded, accounts: readonly string[], contact: string): Promise<void> {
  const urls = side.instances.map(({ api_url }) => `${api_url}/send-text`)
  for (let left = WARM.out; left > 0; left -= AT_ONCE) await sendRound(side, { urls, contact, count: Math.min(left, AT_ONCE) })
  await receiveRound(bench.sandbox, SENDERS, serviceSide(side, accounts), WARM.in, amount(200, 20))
}

const ratio = <T>(all: Record<Store, readonly T[]>, of: (each: T) => number) =>
  spread(all.postgres.map((each, index) => of(each) / of(all.lmdb[index]!)))

/**
 * Returns the texts per second that the member would reach alone on a machine with `CORES` cores. The shard is one
 * thread, so it can use only one core.
 */
const computed = ({ cpu_ms, shard }: Sent) => Math.min((CORES * 1_000) / cpu_ms, 1_000 / shard)

function shownSent(all: Record<Store, readonly Sent[]>) {
  const cores = all.postgres[0]!.cores
  const coresOf = (name: string, digits = 2) =>
    spread(
      all.postgres.map((each) => each.cores[name]!),
      digits,
    )
  return {
    ...perStore((store) => shownSide(all[store])),
    cpu_ratio: ratio(all, ({ cpu_ms }) => cpu_ms),
    rate_ratio: ratio(all, ({ per_s }) => per_s),
    on_postgres: {
      main_ms: spread(all.postgres.map(({ main }) => main)),
      shard_ms: spread(all.postgres.map(({ shard }) => shard)),
      computed_per_s: round(spread(all.postgres.map(computed)).median, 0),
      cores: Object.fromEntries(Object.keys(cores).map((name) => [name, coresOf(name).median])),
    },
  }
}

function shownReceived(all: Record<Store, readonly ReceivingRound[]>) {
  const of = (store: Store, field: 'cpu_ms' | 'p50' | 'p99', digits = 1) =>
    spread(
      all[store].map((each) => each[field]),
      digits,
    )
  return {
    ...perStore((store) => ({
      offered_per_s: spread(
        all[store].map(({ offered }) => offered),
        0,
      ).median,
      cpu_ms: of(store, 'cpu_ms', 2),
      p50_ms: of(store, 'p50'),
      p99_ms: of(store, 'p99'),
    })),
    cpu_ratio: ratio(all, ({ cpu_ms }) => cpu_ms),
  }
}

/** `contact` receives the texts of both services, and confirms them. */
export async function againstLmdb(bench: Bench, services: Record<Store, BenchMember>, others: Others, contact: string) {
  for (const phone of SENDERS) await bench.sandbox.createContact(phone)
  async function warmed(store: Store): Promise<Loaded> {
    const side = await loaded(bench, services[store], { instances: MANY, from: FIRST[store] })
    await warm(bench, side, phoneNumbers(FIRST[store], MANY), contact)
    return side
  }
  const [lmdb, postgres] = await Promise.all([warmed('lmdb'), warmed('postgres')])
  const sides = { lmdb, postgres }
  const result: Record<string, unknown> = {}
  for (const instances of [1, MANY]) {
    const all = perStore((): Sent[] => [])
    for (let at = 0; at < ROUNDS; at++)
      for (const store of STORES) all[store].push(await sendMeasured(sides[store], others, contact, instances))
    result[`out_${instances}`] = shownSent(all)
  }
  for (const { instances, rate } of RECEIVED) {
    const all = perStore((): ReceivingRound[] => [])
    const side = perStore((store): ReceivingSide => serviceSide(sides[store], phoneNumbers(FIRST[store], instances)))
    for (let at = 0; at < ROUNDS; at++)
      for (const store of STORES) all[store].push(await receiveRound(bench.sandbox, SENDERS, side[store], rate * SECONDS, rate))
    result[`in_${instances}_at_${rate}`] = shownReceived(all)
  }
  return result
}
