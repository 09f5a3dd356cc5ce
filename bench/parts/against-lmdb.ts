/**
 * Compares a member of a cluster on PostgreSQL with a service on lmdb, in alternating rounds: the processor time of a
 * text in each direction, the rate of texts, and the time from stanza to webhook. In both, the same number of instances
 * sends and receives.
 */
import {
  amount,
  type Bench,
  type Loaded,
  loaded,
  type Measured,
  phoneNumbers,
  ROUNDS,
  round,
  shownSide,
  spread,
} from '../measure.ts'
import type { CpuSource } from './cores.ts'
import type { BenchMember } from './members.ts'
import {
  type ReceivingRound,
  type ReceivingSide,
  receiveRound,
  sendInParts,
  sendRound,
  serviceSide,
  shownReceiving,
} from './rounds.ts'
import { threadTimes, timesBetween } from './thread-times.ts'

const MANY = amount(50, 3)
const TEXTS: Record<number, number> = { 1: amount(150, 10), [MANY]: amount(1_000, 20) }
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
const WARM = { out: amount(4_000, 10), in: amount(3_000, 10) }
/** Number of cores of the machine for which the rate of a member alone is computed. */
const CORES = 2
const FIRST = { postgres: 1_000, lmdb: 2_000 }
const SENDERS = phoneNumbers(3_000, MANY)

type Store = 'postgres' | 'lmdb'
const STORES = ['lmdb', 'postgres'] as const
const perStore = <T>(make: (store: Store) => T): Record<Store, T> => ({ lmdb: make('lmdb'), postgres: make('postgres') })

interface Sent extends Measured {
  /** CPU time in ms of the main thread and of the shard, for each text. */
  main: number
  shard: number
}

/** Runs `sendRound`, and also measures the CPU time of the threads of the service. */
async function sendMeasured(side: Loaded, contact: string, instances: number): Promise<Sent> {
  const urls = side.instances.slice(0, instances).map(({ api_url }) => `${api_url}/send-text`)
  const count = TEXTS[instances]!
  const threads = threadTimes(side.pid)
  const measured = await sendRound(side, { urls, contact, count })
  const { main, shard } = timesBetween(side.pid, threads, threadTimes(side.pid))
  return { ...measured, main: main / count, shard: shard / count }
}

async function warm(bench: Bench, side: Loaded, accounts: readonly string[], contact: string): Promise<void> {
  const urls = side.instances.map(({ api_url }) => `${api_url}/send-text`)
  await sendInParts(side, { urls, contact, count: WARM.out })
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
  return {
    ...perStore((store) => shownSide(all[store])),
    cpu_ratio: ratio(all, ({ cpu_ms }) => cpu_ms),
    rate_ratio: ratio(all, ({ per_s }) => per_s),
    on_postgres: {
      main_ms: spread(all.postgres.map(({ main }) => main)),
      shard_ms: spread(all.postgres.map(({ shard }) => shard)),
      computed_per_s: round(spread(all.postgres.map(computed)).median, 0),
    },
  }
}

const shownReceived = (all: Record<Store, readonly ReceivingRound[]>) => ({
  ...perStore((store) => shownReceiving(all[store])),
  cpu_ratio: ratio(all, ({ cpu_ms }) => cpu_ms),
})

/**
 * `contact` receives the texts of both services, and confirms them. `postgres` returns the CPU time in ms that
 * the database server has used until now.
 */
export async function againstLmdb(bench: Bench, services: Record<Store, BenchMember>, postgres: CpuSource, contact: string) {
  for (const phone of SENDERS) await bench.sandbox.createContact(phone)
  async function warmed(store: Store): Promise<Loaded> {
    const side = await loaded(bench, services[store], { instances: MANY, from: FIRST[store], others: { postgres } })
    await warm(bench, side, phoneNumbers(FIRST[store], MANY), contact)
    return side
  }
  const [ofLmdb, ofPostgres] = await Promise.all([warmed('lmdb'), warmed('postgres')])
  const sides = { lmdb: ofLmdb, postgres: ofPostgres }
  const result: Record<string, unknown> = {}
  for (const instances of [1, MANY]) {
    const all = perStore((): Sent[] => [])
    for (let at = 0; at < ROUNDS; at++)
      for (const store of STORES) all[store].push(await sendMeasured(sides[store], contact, instances))
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
