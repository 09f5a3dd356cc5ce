/**
 * Measures one service with 500 and then 1,000 connected instances on one shard: starts after a stop and after kill -9,
 * the rest, one text a second in each direction, a text for every instance at once, and a time without the network
 * (`AWAY`). The last part of the result compares the largest number of instances with the smallest.
 * `BENCH_SIZES=100,200` sets the numbers.
 */
import { freePort } from '../test/faults/ground.ts'
import { amount, connectMany, report, round, rssMb, sleep, startBench, startLoaded, UNLIMITED } from './measure.ts'
import { endLoopDelays, loopEnv } from './parts/loop-delay.ts'
import { becomeAcquainted, burst, fewTexts, type Many, networkAway, READER, rest, startAgain, WRITERS } from './parts/many.ts'

const SIZES = process.env.BENCH_SIZES?.split(',').map(Number) ?? amount([500, 1_000], [2, 4])
/**
 * Seconds for which the network is away, for the largest number of instances and for the others. The time is shorter for
 * the others, because the bench must end within a few minutes.
 */
const AWAY = { last: amount(60, 2), others: amount(15, 2) }

async function measured(many: Many, size: number, url: string) {
  const began = performance.now()
  const { bench, instances } = many
  const more = size - instances.length
  instances.push(...(await connectMany(many.running.gateway, bench.sandbox, instances.length, more, { single_url: url })))
  const paired = { instances: more, seconds: round((performance.now() - began) / 1_000, 1) }
  const phases = {
    after_stop: () => startAgain(many, 'stop'),
    after_kill: () => startAgain(many, 'kill'),
    idle: () => rest(many),
    texts: async () => {
      await becomeAcquainted(many)
      return await fewTexts(many)
    },
    burst: () => burst(many),
    network: () => networkAway(many, size === SIZES.at(-1) ? AWAY.last : AWAY.others),
  }
  type Phases = typeof phases
  const row: Record<string, unknown> = { paired }
  // Each phase is also printed when it ends, because a later one may fail.
  for (const [name, phase] of Object.entries(phases)) {
    row[name] = await phase()
    process.stderr.write(`${size} ${name}: ${JSON.stringify(row[name])}\n`)
  }
  return row as { paired: typeof paired } & { [Name in keyof Phases]: Awaited<ReturnType<Phases[Name]>> }
}
type Row = Awaited<ReturnType<typeof measured>>

/** Amounts that should not grow faster than the number of instances. */
const amountsOf = (row: Row, emptyMb: number): Record<string, number> => ({
  'after_stop all_s': row.after_stop.all_s,
  'after_stop cpu_s': row.after_stop.cpu_s,
  'after_kill all_s': row.after_kill.all_s,
  'after_kill cpu_s': row.after_kill.cpu_s,
  'idle rss above empty': row.idle.rss_mb - emptyMb,
  'idle cpu_percent': row.idle.cpu_percent,
  'idle handles': row.idle.handles,
  'texts cpu_percent': row.texts.cpu_percent,
  'burst last_s': row.burst.last_s,
  'burst cpu_s': row.burst.cpu_s,
  'burst rss above idle': row.burst.rss_peak_mb - row.idle.rss_mb,
  'network back cpu_s': row.network.back.cpu_s,
})

const bench = await startBench()
try {
  await bench.sandbox.createContact(READER, { sink: true, receipts: 'delivered' })
  for (const phone of WRITERS) await bench.sandbox.createContact(phone)
  // With a fixed port, the URLs of the instances stay the same after a start.
  const env = { ...UNLIMITED, ...loopEnv(bench.dir), SVC_SHARDS: '1', SVC_PORT: String(await freePort()) }
  const { service, gateway, receiver, driver, url } = await startLoaded(bench, { instances: 0, env })
  const many: Many = { bench, env, receiver, driver, instances: [], running: { service, gateway } }
  await endLoopDelays(service.child, bench.dir)
  await sleep(amount(5_000, 100))
  const emptyMb = rssMb(service.child.pid!)
  const rows: Row[] = []
  for (const size of SIZES) rows.push(await measured(many, size, url))

  const [first, last] = [amountsOf(rows[0]!, emptyMb), amountsOf(rows.at(-1)!, emptyMb)]
  const times = SIZES.at(-1)! / SIZES[0]!
  report('one service with hundreds of instances on one shard', {
    empty_mb: round(emptyMb, 1),
    ...Object.fromEntries(rows.map((row, index) => [SIZES[index], row])),
    /** Ratio of the amount per instance with the most instances to that with the fewest: above 1 it grows faster. */
    per_instance_last_against_first: Object.fromEntries(
      Object.entries(last).map(([name, value]) => [name, round(value / first[name]! / times)]),
    ),
  })
} finally {
  await bench.end()
}
