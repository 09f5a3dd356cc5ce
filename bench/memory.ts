/**
 * Measures the memory of the service on one shard: without instances, per idle instance, and after many texts. Before
 * each measurement the service is idle, because a thread returns memory only a minute or more after its last work.
 * `BENCH_HEAP=1` also measures the memory after a full garbage collection.
 */
import { createGateway } from '../test/harness/gateway.ts'
import {
  amount,
  type Bench,
  connectMany,
  cpuMs,
  fileMb,
  type Loaded,
  loaded,
  phoneNumbers,
  report,
  round,
  startBench,
  startLoaded,
  textTo,
  UNLIMITED,
} from './measure.ts'
import { atRest, REST } from './parts/at-rest.ts'
import { heapEnv, heapOf } from './parts/heap.ts'

const SIZES = process.env.BENCH_SIZES?.split(',').map(Number) ?? amount([10, 200], [2, 4], [10, 50, 100, 200])
const MESSAGES = Number(process.env.BENCH_MESSAGES ?? amount(8_000, 100, 100_000))
const READER = '5511988880001'
const SENT = 0.25
/** Number of instances that send and receive the texts. They have a service of their own, without other instances. */
const WITH_TEXTS = amount(50, 3)
/** Number of parts in which the texts are sent. The memory is measured after the first and after the last part. */
const PARTS = 4
const FIRST_WITH_TEXTS = 1_000
const WITH_HEAP = process.env.BENCH_HEAP === '1'

async function idle(bench: Bench, env: Record<string, string>) {
  const { service, gateway, pid, url, instances } = await startLoaded(bench, { instances: 0, env })
  const empty = await atRest(pid, amount(10, 1))
  const rows: { instances: number; rss_mb: number; mb_per_instance: number; cpu_percent: number }[] = []
  for (const size of SIZES) {
    instances.push(...(await connectMany(gateway, bench.sandbox, instances.length, size - instances.length, { single_url: url })))
    const [before, began] = [cpuMs(pid), performance.now()]
    const rss = await atRest(pid, REST)
    const cpu = ((cpuMs(pid) - before) / (performance.now() - began)) * 100
    rows.push({
      instances: size,
      rss_mb: round(rss, 1),
      mb_per_instance: round((rss - empty) / size),
      cpu_percent: round(cpu, 1),
    })
  }
  await service.stop()
  const [first, last] = [rows[0]!, rows.at(-1)!]
  return {
    empty_mb: round(empty, 1),
    idle: Object.fromEntries(rows.map(({ instances: size, ...row }) => [size, row])),
    slope_mb_per_instance: round((last.rss_mb - first.rss_mb) / (last.instances - first.instances)),
  }
}

/** Sends and receives one part of the texts, and returns their number. */
async function sendPart(bench: Bench, { receiver, driver, instances }: Loaded, writers: readonly string[]): Promise<number> {
  const count = instances.length
  const each = Math.ceil((MESSAGES * (1 - SENT)) / PARTS / count)
  const sent = Math.ceil((MESSAGES * SENT) / PARTS)
  await receiver.call('reset')
  const all = receiver.call('until', { received: each * count, delivery: sent }, 120_000)
  for (const [index, phone] of phoneNumbers(FIRST_WITH_TEXTS, count).entries())
    await bench.sandbox.burst(writers[index]!, phone, each, 'text ')
  await driver.call('drive', {
    urls: instances.map(({ api_url }) => `${api_url}/send-text`),
    bodies: [textTo(READER)],
    count: sent,
  })
  await all
  return each * count + sent
}

async function withTexts(bench: Bench, env: Record<string, string>) {
  const service = await bench.start('with-texts', { ...UNLIMITED, ...env })
  const gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)
  const side = await loaded(bench, { service, gateway }, { instances: WITH_TEXTS, from: FIRST_WITH_TEXTS })
  const writers = phoneNumbers(2_000, WITH_TEXTS)
  for (const phone of writers) await bench.sandbox.createContact(phone)
  const after: { texts: number; rss_mb: number; of_files_mb: number; heap_mb?: number }[] = []
  let texts = 0
  for (let part = 0; part < PARTS; part++) {
    texts += await sendPart(bench, side, writers)
    if (part !== 0 && part !== PARTS - 1) continue
    const rss = round(await atRest(side.pid, REST), 1)
    const heap = WITH_HEAP ? { heap_mb: (await heapOf(service.child, bench.dir)).shards_mb } : {}
    after.push({ texts, rss_mb: rss, of_files_mb: round(fileMb(side.pid), 1), ...heap })
  }
  return {
    texts,
    instances_with_texts: WITH_TEXTS,
    after_texts: Object.fromEntries(after.map(({ texts: count, ...row }) => [count, row])),
    growth_from_first_to_last_quarter: round(after.at(-1)!.rss_mb / after[0]!.rss_mb),
  }
}

const bench = await startBench()
try {
  await bench.sandbox.createContact(READER, { sink: true, receipts: 'delivered' })
  const env = { SVC_SHARDS: '1', ...(WITH_HEAP ? heapEnv(bench.dir) : {}) }
  report('memory of the service: empty, per idle instance, after many texts', {
    shards: 1,
    ...(await idle(bench, env)),
    ...(await withTexts(bench, env)),
  })
} finally {
  await bench.end()
}
